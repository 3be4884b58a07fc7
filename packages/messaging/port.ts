// The Kafka port: all that the rest of Sluice knows of a log. No kafkajs type leaks through here. Adapters: Kafka
// (`kafka-*.ts`) and memory (`memory-*.ts`); both pass `conformance.ts`.
//
// Promises of every adapter:
// 1. `send` resolves only when every record is acknowledged by the log, with its offset and append time, in the order given.
//    Anything else rejects with a Fault `messaging.unknown-outcome` (the records may or may not be there) or
//    `messaging.refused` (they are not). Two sends of one producer are appended in call order, unless one of them failed.
// 2. A consumer hands over nothing of a partition before `assigned` was answered, and no record below the answer.
// 3. After `revoked` or `lost` nothing of that epoch is handed over, and a commit of that epoch is dropped.
// 4. An epoch is never used twice by a process; each (re)assignment of a partition has a higher one.
// 5. No handler is called before `consumer` has resolved. Every partition held is revoked before it is assigned anew, and by `stop`.
// 6. An answer to `assigned` outside the log ends the consumer (`messaging.outside-log`): no record is ever skipped in silence.
// 7. A topic or partition that does not exist is refused, at once and for that call alone: topics are never made by use.

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** Header values are bytes on the wire; UTF-8 text here. */
export type Headers = Readonly<Record<string, string>>;

export interface OutgoingRecord extends TopicPartition {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: Headers;
}

/** Where a record was put, and the log's own time for it (LogAppendTime). */
export interface Appended extends TopicPartition {
  readonly offset: bigint;
  readonly appendedAtMs: number;
}

export interface Producer {
  /** Appends all records; batching and linger are the adapter's. `records` holds 1 to 10,000 entries. */
  send(records: readonly OutgoingRecord[]): Promise<readonly Appended[]>;
  close(): Promise<void>;
}

export interface ReceivedRecord extends TopicPartition {
  readonly offset: bigint;
  readonly appendedAtMs: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: Headers;
}

/** `logEnd` is the next offset to be written; `committed` the group's offset, null where there is none. */
export interface LogEnds {
  readonly logStart: bigint;
  readonly logEnd: bigint;
}

export interface AssignedLog extends LogEnds {
  readonly committed: bigint | null;
}

export interface ConsumerHandlers {
  /** A partition is ours from now on, under this epoch. Answer: the offset to start at. A rejection ends the consumer. */
  assigned(partition: TopicPartition, epoch: number, log: AssignedLog): Promise<bigint>;
  /** The partition is no longer ours. Work of this epoch may finish; its commits are dropped. */
  revoked(partition: TopicPartition, epoch: number): void;
  /** Records in offset order. Returns at once; back-pressure is `pause`. Must not throw. */
  records(partition: TopicPartition, epoch: number, records: readonly ReceivedRecord[]): void;
  /** The consumer cannot go on (fenced, group gone, position outside the log, a handler failed). The process must end. */
  failed(reason: Error): void;
}

export interface Consumer {
  /** Nothing of the partition is handed over until `resume`. Of a partition that is not ours: nothing happens. */
  pause(partition: TopicPartition): void;
  resume(partition: TopicPartition): void;
  /** `nextOffset` = first offset not done. Dropped unless the partition is ours under `epoch`. May reject with a retryable Fault. */
  commit(partition: TopicPartition, nextOffset: bigint, epoch: number): Promise<void>;
  /** Milliseconds since the group coordinator last answered a heartbeat or a join; Infinity before the first. */
  heartbeatAgeMs(): number;
  /** No record is handed over any more, but commits still work until `stop`. */
  pauseAll(): void;
  /** Revokes what is held and leaves the group. */
  stop(): Promise<void>;
}

export interface ConsumerOptions {
  readonly group: string;
  readonly topics: readonly string[];
  readonly handlers: ConsumerHandlers;
}

export interface Messaging {
  producer(name: string): Promise<Producer>;
  consumer(options: ConsumerOptions): Promise<Consumer>;
  /** Both ends of each partition, in the order asked. Rejects with `messaging.unknown-topic` or a retryable `messaging.unavailable`. */
  ends(partitions: readonly TopicPartition[]): Promise<readonly LogEnds[]>;
  /** What a group has committed of each partition, in the order asked; null: nothing. Rejects as `ends` does. */
  committedOf(group: string, partitions: readonly TopicPartition[]): Promise<readonly (bigint | null)[]>;
  /**
   * Records from `from` (inclusive) to `to` (exclusive), in order, at most to the log's end at the start of the reading; used by
   * timelines, rebuild and the checker. Rejects with `messaging.outside-log` if the log starts beyond `from`.
   */
  read(partition: TopicPartition, from: bigint, to: bigint): AsyncIterable<ReceivedRecord>;
  close(): Promise<void>;
}
