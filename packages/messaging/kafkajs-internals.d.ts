// The insides of kafkajs 2.2.4 that are repaired or used, as far as they are. kafkajs declares its outside only.

declare module "kafkajs/src/network/requestQueue/index.js" {
  export interface SocketRequest {
    readonly sentAt: number | null;
    readonly requestTimeout: number;
    timeoutRequest(): void;
  }
  export interface RequestQueue {
    readonly enforceRequestTimeout: boolean;
    readonly inflight: ReadonlyMap<number, SocketRequest>;
    readonly pending: readonly SocketRequest[];
    readonly throttledUntil: number;
    throttleCheckTimeoutId: NodeJS.Timeout | null;
    requestTimeoutIntervalId: NodeJS.Timeout | null | undefined;
    checkPendingRequests(): void;
    scheduleCheckPendingRequests: (this: RequestQueue) => void;
    scheduleRequestTimeoutCheck: (this: RequestQueue) => void;
    sendSocketRequest: (this: RequestQueue, request: SocketRequest) => void;
  }
  const requestQueue: { readonly prototype: RequestQueue };
  export default requestQueue;
}

declare module "kafkajs/src/consumer/consumerGroup.js" {
  export interface TopicPartitions {
    readonly topic: string;
    readonly partitions: readonly number[];
  }
  /** Made anew by every join. */
  export interface OffsetManager {
    commitOffsets(offsets: unknown): Promise<void>;
  }
  type Attempt = (bail: (error: Error) => void, retryCount: number, retryTime: number) => Promise<void>;
  export interface ConsumerGroup {
    maxWaitTime: number;
    retrier: (attempt: Attempt) => Promise<void>;
    readonly groupId: string;
    readonly memberId: string | null;
    readonly offsetManager: OffsetManager | null;
    readonly instrumentationEmitter: { emit(event: string, payload: unknown): void };
    readonly subscriptionState: { assigned(): readonly TopicPartitions[]; paused(): readonly TopicPartitions[] };
    filterPartitionsByNode(nodeId: string, partitions: readonly TopicPartitions[]): readonly TopicPartitions[];
    getActiveTopicPartitions(): Readonly<Record<string, ReadonlySet<number>>>;
    fetch: (this: ConsumerGroup, nodeId: string) => Promise<readonly object[]>;
    resume: (this: ConsumerGroup, partitions: readonly TopicPartitions[]) => void;
    leave(): Promise<void>;
    joinAndSync: (this: ConsumerGroup) => Promise<void>;
  }
  const consumerGroup: { readonly prototype: ConsumerGroup };
  export default consumerGroup;
}

declare module "kafkajs/src/consumer/runner.js" {
  import type { ConsumerGroup } from "kafkajs/src/consumer/consumerGroup.js";
  export interface Runner {
    readonly running: boolean;
    readonly consumerGroup: ConsumerGroup;
    handleBatch: (this: Runner, batch: object) => Promise<void>;
    commitOffsets: (this: Runner, offsets: unknown) => Promise<void>;
    stop: (this: Runner) => Promise<void>;
  }
  const runner: { readonly prototype: Runner };
  export default runner;
}

declare module "kafkajs/src/cluster/index.js" {
  import type { KafkaMessage } from "kafkajs";
  export type FetchedMessage = KafkaMessage & { readonly isControlRecord: boolean };
  export interface Fetched {
    readonly responses: readonly { readonly partitions: readonly { readonly messages: readonly FetchedMessage[] }[] }[];
  }
  export interface Cluster {
    connect(): Promise<void>;
    disconnect(): Promise<void>;
    addTargetTopic(topic: string): Promise<void>;
    refreshMetadata(): Promise<void>;
    findLeaderForPartitions(topic: string, partitions: readonly number[]): Readonly<Record<string, readonly number[]>>;
    findBroker(node: { nodeId: string }): Promise<{ fetch(request: unknown): Promise<Fetched> }>;
  }
  const cluster: new (options: unknown) => Cluster;
  export default cluster;
}

declare module "kafkajs/src/network/socketFactory.js" {
  const socketFactory: () => unknown;
  export default socketFactory;
}

declare module "kafkajs/src/protocol/requests/produce/index.js" {
  export interface Produced {
    readonly acks: number;
    readonly timeout: number;
    readonly compression: number;
    readonly transactionalId?: string;
    readonly producerId: string;
    readonly producerEpoch: number;
    readonly topicData: readonly { readonly topic: string; readonly partitions: readonly ProducedPartition[] }[];
  }
  /** Messages are as our producer gave them. */
  export interface ProducedPartition {
    readonly partition: number;
    readonly firstSequence: number;
    readonly messages: readonly {
      readonly key: Uint8Array | null;
      readonly value: Uint8Array | null;
      readonly headers: Readonly<Record<string, string>>;
    }[];
  }
  export interface Encoded {
    readonly buf: Buffer;
    readonly buffer: Buffer;
    size(): number;
  }
  export interface Made {
    readonly request: { readonly apiVersion: number; encode(): Promise<Encoded> };
    readonly response: unknown;
  }
  const produceRequests: { protocol: (wanted: { readonly version: number }) => (produced: Produced) => Made };
  export default produceRequests;
}

// For tests, which hold ours against kafkajs's own.
declare module "kafkajs/src/protocol/requests/produce/v7/request.js" {
  const request: (produced: unknown) => { encode(): Promise<{ readonly buffer: Buffer }> };
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
