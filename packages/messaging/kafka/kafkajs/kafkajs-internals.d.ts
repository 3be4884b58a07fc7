// Declares the internals of kafkajs 2.2.4 that are repaired or used. kafkajs itself declares only its public API.

declare module "kafkajs/src/network/requestQueue/index.js" {
  export interface SocketRequest {
    readonly sentAt: number | null;
    readonly correlationId: number;
    readonly requestTimeout: number;
    timeoutRequest(): void;
    rejected(error: Error): void;
  }
  export interface RequestQueue {
    readonly enforceRequestTimeout: boolean;
    readonly inflight: Map<number, SocketRequest>;
    readonly pending: SocketRequest[];
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

declare module "kafkajs/src/errors.js" {
  import type { KafkaJSConnectionError } from "kafkajs";
  interface ClosedError {
    new (text: string, at: { readonly host: string; readonly port: number }): KafkaJSConnectionError;
  }
  const errors: { readonly KafkaJSConnectionClosedError: ClosedError };
  export default errors;
}

declare module "kafkajs/src/network/connection.js" {
  import type { Socket } from "node:net";
  import type { RequestQueue } from "kafkajs/src/network/requestQueue/index.js";
  import type { Encoded } from "kafkajs/src/protocol/requests/produce/index.js";
  export interface SentRequest {
    readonly request: {
      readonly apiKey: number;
      readonly apiName: string;
      readonly apiVersion: number;
      encode(): Promise<Pick<Encoded, "buffer">>;
      expectResponse?(): boolean;
    };
    readonly response: {
      decode(payload: Buffer): Promise<{ readonly clientSideThrottleTime?: number | null }>;
      parse(decoded: object): Promise<unknown>;
    };
    readonly requestTimeout?: number | null;
    readonly logResponseError?: boolean;
  }
  interface Entry {
    readonly apiKey: number;
    readonly apiName: string;
    readonly apiVersion: number;
    readonly correlationId: number;
    resolve(answer: { readonly payload: Buffer; readonly size: number }): void;
    reject(reason: unknown): void;
  }
  interface Pushed {
    readonly entry: Entry;
    readonly expectResponse: boolean;
    readonly requestTimeout: number | null;
    sendRequest(): void;
  }
  export interface Connection {
    readonly clientId: string;
    /** Null: there is no login. */
    readonly sasl: object | null;
    socket: Socket | null;
    readonly requestQueue: RequestQueue & {
      push(request: Pushed): void;
      maybeThrottle(waitMs: number | null): void;
      fulfillRequest(answer: { readonly size: number; readonly correlationId: number; readonly payload: Buffer }): void;
    };
    readonly host: string;
    readonly port: number;
    readonly ssl: object | null;
    readonly socketFactory: SocketFactory;
    /** Milliseconds. */
    readonly connectionTimeout: number;
    connectionStatus: "connected" | "disconnecting" | "disconnected";
    authenticatedAt: unknown;
    /** Waits for the answer to a step of a login; null: none is under way. */
    readonly authHandlers: { onSuccess(answer: Buffer): void; onError(): void } | null;
    /** The step of the login is answered like a request, with a length. */
    readonly authExpectResponse: boolean;
    isConnected(): boolean;
    connect: (this: Connection) => Promise<true>;
    disconnect: (this: Connection) => Promise<true>;
    isAuthenticated(): boolean;
    failIfNotConnected(): void;
    nextCorrelationId(): number;
    logError(text: string, fields: object): void;
    send: (this: Connection, asked: SentRequest) => Promise<unknown>;
    /** A step of a login. */
    sendAuthRequest(asked: {
      readonly request: { encode(): Promise<Buffer> };
      readonly response: SentRequest["response"];
    }): Promise<unknown>;
  }
  type SocketFactory = (at: { readonly host: string; readonly port: number; readonly ssl: object | null; onConnect(): void }) => Socket;
  interface Logger {
    namespace(name: string): Logger;
  }
  interface ConnectionOptions {
    readonly host: string;
    readonly port: number;
    readonly logger: Logger;
    readonly socketFactory: SocketFactory;
    readonly requestTimeout: number;
    readonly enforceRequestTimeout: boolean;
    readonly connectionTimeout: number;
    readonly clientId: string;
  }
  const connection: { new (options: ConnectionOptions): Connection; readonly prototype: Connection };
  export default connection;
}

declare module "kafkajs/src/consumer/consumerGroup.js" {
  import type { Cluster } from "kafkajs/src/cluster/index.js";
  import type { FetchedBatch } from "kafkajs/src/consumer/batch.js";
  export interface TopicPartitions {
    readonly topic: string;
    readonly partitions: readonly number[];
  }
  /** Every join creates a new one. */
  export interface OffsetManager {
    coordinator: object;
    commitOffsets(offsets: unknown): Promise<void>;
    /** By topic and partition; a partition whose offset is not known yet is missing. */
    committedOffsets(): Readonly<Record<string, Readonly<Record<number, string>>>>;
    nextOffset(topic: string, partition: number): { toString(): string };
  }
  type Attempt = (bail: (error: Error) => void, retryCount: number, retryTime: number) => Promise<void>;
  export interface ConsumerGroup {
    maxWaitTime: number;
    coordinator: object | null;
    readonly minBytes: number;
    readonly maxBytes: number;
    readonly maxBytesPerPartition: number;
    readonly isolationLevel: number;
    readonly rackId: string;
    readonly cluster: Pick<Cluster, "brokerPool" | "findBroker" | "refreshMetadata" | "refreshMetadataIfNecessary"> & {
      findGroupCoordinator(asked: { readonly groupId: string }): Promise<object>;
    };
    recoverFromFetch: (this: ConsumerGroup, error: Error & { readonly type?: string }) => Promise<void>;
    retrier: (attempt: Attempt) => Promise<void>;
    readonly groupId: string;
    readonly memberId: string | null;
    readonly offsetManager: OffsetManager | null;
    readonly instrumentationEmitter: { emit(event: string, payload: unknown): void };
    readonly subscriptionState: { assigned(): readonly TopicPartitions[]; isPaused(topic: string, partition: number): boolean };
    /** Offsets that the next fetch begins at. */
    readonly seekOffset: { readonly size: number; has(topic: string, partition: number): boolean };
    checkForStaleAssignment(): void;
    seekOffsets(partitions: readonly TopicPartitions[]): Promise<void>;
    filterPartitionsByNode(nodeId: string, partitions: readonly TopicPartitions[]): readonly TopicPartitions[];
    fetch: (this: ConsumerGroup, nodeId: string) => Promise<readonly FetchedBatch[]>;
    resume: (this: ConsumerGroup, partitions: readonly TopicPartitions[]) => void;
    leave(): Promise<void>;
    heartbeat: (this: ConsumerGroup, options: { readonly interval: number }) => Promise<void>;
    joinAndSync: (this: ConsumerGroup) => Promise<void>;
  }
  const consumerGroup: { readonly prototype: ConsumerGroup };
  export default consumerGroup;
}

declare module "kafkajs/src/consumer/batch.js" {
  import type { FetchedPartition } from "kafkajs/src/protocol/requests/fetch/index.js";
  export interface FetchedBatch {
    readonly rawMessages: readonly unknown[];
  }
  const batch: new (topic: string, fetchedOffset: string, partition: FetchedPartition) => FetchedBatch;
  export default batch;
}

declare module "kafkajs/src/consumer/runner.js" {
  import type { ConsumerGroup } from "kafkajs/src/consumer/consumerGroup.js";
  export interface Runner {
    readonly running: boolean;
    readonly consumerGroup: ConsumerGroup;
    onCrash: (error: Error) => Promise<void>;
    handleBatch: (this: Runner, batch: object) => Promise<void>;
    commitOffsets: (this: Runner, offsets: unknown) => Promise<void>;
    start: (this: Runner) => Promise<void>;
    stop: (this: Runner) => Promise<void>;
  }
  const runner: { readonly prototype: Runner };
  export default runner;
}

declare module "kafkajs/src/broker/index.js" {
  export interface Broker {
    connect: (this: Broker) => Promise<void>;
    disconnect(): Promise<void>;
    heartbeat: (this: Broker, asked: object) => Promise<unknown>;
    syncGroup: (this: Broker, asked: { readonly memberId: string }) => Promise<unknown>;
  }
  const broker: { readonly prototype: Broker };
  export default broker;
}

declare module "kafkajs/src/cluster/index.js" {
  import type { FetchAnswer } from "kafkajs/src/protocol/requests/fetch/index.js";
  import type { Metadata } from "kafkajs/src/protocol/requests/metadata/index.js";
  import type { Encoded } from "kafkajs/src/protocol/requests/produce/index.js";
  export interface ClusterBroker {
    readonly connectionPool: { send<Answer>(request: OwnRequest<Answer>): Promise<Answer> };
    fetch(request: unknown): Promise<FetchAnswer>;
  }
  interface OwnRequest<Answer> {
    readonly request: {
      readonly apiKey: number;
      readonly apiVersion: number;
      readonly apiName: string;
      encode(): Promise<Encoded>;
    };
    readonly response: { decode(payload: Buffer): Promise<Answer>; parse(answer: Answer): Promise<Answer> };
  }
  export interface Cluster {
    /** Its versions are known once it is connected. */
    readonly brokerPool: {
      /** Null until it was asked for. */
      readonly metadata: Metadata | null;
      readonly seedBroker?: {
        readonly versions: Readonly<Record<number, { readonly minVersion: number; readonly maxVersion: number }>> | null;
      };
    };
    connect(): Promise<void>;
    disconnect(): Promise<void>;
    addTargetTopic(topic: string): Promise<void>;
    refreshMetadata(): Promise<void>;
    refreshMetadataIfNecessary(): Promise<void>;
    findLeaderForPartitions: (this: Cluster, topic: string, partitions: readonly number[]) => Readonly<Record<string, readonly number[]>>;
    findBroker(node: { nodeId: string }): Promise<ClusterBroker>;
    fetchTopicsOffset: (this: Cluster, topics: readonly AskedOffsets[]) => Promise<readonly FoundOffsets[]>;
  }
  interface AskedOffsets {
    readonly topic: string;
    /** The first offset of each partition; else the next one to be written. */
    readonly fromBeginning: boolean;
    readonly partitions: readonly { readonly partition: number }[];
  }
  interface FoundOffsets {
    readonly topic: string;
    /** Without the partitions that have no leader. */
    readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
  }
  const cluster: (new (options: unknown) => Cluster) & { readonly prototype: Cluster };
  export default cluster;
}

declare module "kafkajs/src/broker/saslAuthenticator/*.js" {
  import type { AuthenticationProviderArgs, Authenticator } from "kafkajs";
  const provider: (sasl: object) => (asked: AuthenticationProviderArgs) => Authenticator;
  export default provider;
}

declare module "kafkajs/src/protocol/requests/produce/index.js" {
  export interface Produced {
    readonly acks: number;
    readonly timeout: number;
    readonly compression: number;
    readonly producerId: string;
    readonly producerEpoch: number;
    readonly topicData: readonly { readonly topic: string; readonly partitions: readonly ProducedPartition[] }[];
  }
  /** The messages are the records that our producer passed. */
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
    readonly response: { parse(answer: ProduceAnswer): Promise<ProduceAnswer> };
  }
  export interface ProduceAnswer {
    readonly topics: readonly {
      readonly topicName: string;
      readonly partitions: readonly {
        readonly partition: number;
        /** 0: its records are appended. */
        readonly errorCode: number;
        readonly baseOffset: string;
        readonly logAppendTime: string;
      }[];
    }[];
  }
  const produceRequests: { protocol: (wanted: { readonly version: number }) => (produced: Produced) => Made };
  export default produceRequests;
}

declare module "kafkajs/src/protocol/requests/metadata/index.js" {
  export interface Metadata {
    readonly topicMetadata: readonly {
      readonly topic: string;
      readonly partitionMetadata: readonly {
        readonly partitionErrorCode: number;
        readonly partitionId: number;
        /** -1: the partition has none. */
        readonly leader: number;
      }[];
    }[];
  }
  export interface Asked {
    readonly request: unknown;
    readonly response: { decode(payload: Buffer): Promise<Metadata>; parse(answer: Metadata): Promise<Metadata> };
  }
  const metadataRequests: { protocol: (wanted: { readonly version: number }) => (asked: unknown) => Asked };
  export default metadataRequests;
}

declare module "kafkajs/src/protocol/requests/fetch/index.js" {
  import type { Encoded } from "kafkajs/src/protocol/requests/produce/index.js";
  /**
   * The message that `fetch-answer.ts` builds. kafkajs uses its offset, its key and the members at the end, and takes
   * offsets as bigint.
   */
  export interface FetchedMessage {
    readonly topic: string;
    readonly partition: number;
    readonly offset: bigint;
    readonly appendedAtMs: number;
    readonly key: Buffer | null;
    readonly value: Buffer | null;
    readonly headers: Readonly<Record<string, string>>;
    readonly isControlRecord: boolean;
    readonly batchContext: { readonly producerId: string; readonly inTransaction: boolean };
  }
  export interface FetchedPartition {
    readonly partition: number;
    readonly errorCode: number;
    readonly highWatermark: string;
    readonly lastStableOffset: string;
    readonly lastStartOffset: string;
    readonly abortedTransactions: readonly { readonly producerId: string; readonly firstOffset: string }[];
    readonly preferredReadReplica: number;
    readonly messages: readonly FetchedMessage[];
  }
  export interface FetchAnswer {
    readonly throttleTime: number;
    readonly clientSideThrottleTime: number;
    readonly errorCode: number;
    readonly sessionId: number;
    readonly responses: readonly { readonly topicName: string; readonly partitions: readonly FetchedPartition[] }[];
  }
  export interface FetchTopic {
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number; readonly fetchOffset: string; readonly maxBytes: number }[];
  }
  export interface AskedFetch {
    readonly maxWaitTime: number;
    readonly minBytes: number;
    readonly maxBytes: number;
    readonly isolationLevel: number;
    readonly topics: readonly FetchTopic[];
    readonly rackId?: string;
  }
  export interface Fetch {
    readonly request: { encode(): Promise<Encoded> };
    readonly response: { decode(payload: Buffer): Promise<FetchAnswer>; parse(answer: FetchAnswer): Promise<FetchAnswer> };
    readonly requestTimeout: number;
  }
  const fetchRequests: { protocol: (wanted: { readonly version: number }) => (asked: AskedFetch) => Fetch };
  export default fetchRequests;
}

declare module "kafkajs/src/protocol/message/compression/index.js" {
  export const lookupCodec: (codec: number) => { decompress(bytes: Buffer): Promise<Buffer> } | null;
}
