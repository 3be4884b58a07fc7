// Declares the codecs of kafkajs 2.2.4 for tests, which compare ours with them.

declare module "kafkajs/src/producer/groupMessagesPerPartition.js" {
  const groupMessagesPerPartition: <Message>(asked: {
    readonly topic: string;
    readonly partitionMetadata: readonly unknown[];
    readonly messages: readonly Message[];
    readonly partitioner: (of: { readonly message: Message }) => number;
  }) => Readonly<Record<string, readonly Message[]>>;
  export default groupMessagesPerPartition;
}

declare module "kafkajs/src/protocol/requests/produce/v7/request.js" {
  const request: (produced: unknown) => { encode(): Promise<{ readonly buffer: Buffer }> };
  export default request;
}

declare module "kafkajs/src/protocol/requests/fetch/v11/request.js" {
  const request: (asked: unknown) => { encode(): Promise<{ readonly buffer: Buffer }> };
  export default request;
}

declare module "kafkajs/src/protocol/request.js" {
  import type { Encoder } from "kafkajs/src/protocol/encoder.js";
  const request: (asked: {
    readonly correlationId: number;
    readonly clientId: string;
    readonly request: { readonly apiKey: number; readonly apiVersion: number; encode(): Promise<Encoder> };
  }) => Promise<Encoder>;
  export default request;
}

declare module "kafkajs/src/protocol/decoder.js" {
  const decoder: new (buffer: Buffer) => object;
  export default decoder;
}

declare module "kafkajs/src/protocol/recordBatch/v0/decoder.js" {
  export interface DecodedBatch {
    readonly records: readonly { readonly headers: Readonly<Record<string, Buffer>> }[];
  }
  const decode: (decoder: object) => Promise<DecodedBatch>;
  export default decode;
}

declare module "kafkajs/src/protocol/encoder.js" {
  export interface Encoder {
    readonly buffer: Buffer;
    writeInt16(value: number): Encoder;
    writeInt32(value: number): Encoder;
    writeInt64(value: bigint): Encoder;
    writeString(value: string): Encoder;
    writeBuffer(value: Buffer): Encoder;
    writeArray(value: readonly Encoder[]): Encoder;
  }
  const encoder: new () => Encoder;
  export default encoder;
}

declare module "kafkajs/src/protocol/recordBatch/record/v0/index.js" {
  const record: (record: unknown) => object;
  export default record;
}

declare module "kafkajs/src/protocol/recordBatch/v0/index.js" {
  export const RecordBatch: (batch: unknown) => Promise<{ readonly buffer: Buffer }>;
}

declare module "kafkajs/src/protocol/requests/fetch/v11/response.js" {
  import type { FetchAnswer, FetchedPartition } from "kafkajs/src/protocol/requests/fetch/index.js";
  export interface Message {
    readonly offset: string;
    readonly timestamp: string;
    readonly key: Buffer | null;
    readonly value: Buffer | null;
    readonly headers: Readonly<Record<string, Buffer | readonly Buffer[]>>;
    readonly isControlRecord: boolean;
    readonly batchContext: { readonly producerId: string; readonly inTransaction: boolean };
  }
  type Partition = Omit<FetchedPartition, "messages"> & { readonly messages: readonly Message[] };
  type Answer = Omit<FetchAnswer, "responses"> & {
    readonly responses: readonly { readonly topicName: string; readonly partitions: readonly Partition[] }[];
  };
  const response: { decode(payload: Buffer): Promise<Answer> };
  export default response;
}
