// The messaging port: everything the rest of Sluice knows about Kafka. No kafkajs type leaves it. Its two adapters,
// `kafka/` and `memory/`, both pass `conformance/`.
//
// Every adapter promises:
// #1 `send` resolves only once the broker has acknowledged every record, with its offset and append time, in the order
//    given. Otherwise it rejects with a Fault: `messaging.unknown-outcome` (the records may or may not be there) or
//    `messaging.refused` (they are not there). A PartlyAppendedFault says which of them are acknowledged. Records of
//    two sends of one producer to one partition are appended in call order, unless one of them failed. A partition
//    without a leader fails its own records alone.
// #2 A consumer hands over no record of a partition before `assigned` has resolved, and no record below the offset it
//    answered.
// #3 After `revoked`, nothing of that epoch is handed over, and a commit of that epoch is dropped.
// #4 A process never uses an epoch twice; each assignment of a partition has a higher epoch than the one before.
// #5 No handler is called before `consumer` has resolved. Every assigned partition is revoked before it is assigned
//    again, and by `stop`.
// #6 An answer to `assigned` outside the partition's offsets ends the consumer (`messaging.outside-log`), because any
//    other start would skip records silently. So does retention that takes records before they are read.
// #7 A topic or partition that does not exist is refused, at once and for that call alone. Using a topic never creates
//    it.
// #8 A batch that cannot be read stops its partition alone: the records before it are handed over, then `unreadable` is
//    called, again after each reading, until the batch can be read or the answer skips it.
// #9 When members join or leave, `handOver` of every partition is called and awaited, for five seconds at most, before
//    the partition is revoked. Nothing of it is handed over meanwhile, its commits count, and the coordinator answers.

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** Record headers. Their values are bytes on the wire and UTF-8 text here. */
export type Headers = Readonly<Record<string, string>>;

export interface OutgoingRecord extends TopicPartition {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: Headers;
}

/** The place of an appended record, and the broker's time for it (LogAppendTime). */
export interface AppendResult extends TopicPartition {
  readonly offset: bigint;
  readonly appendedAtMs: number;
}

export interface Producer {
  /** Appends all records, 1 to 10,000 of them. The adapter decides about batches and linger. */
  send(records: readonly OutgoingRecord[]): Promise<readonly AppendResult[]>;
  close(): Promise<void>;
}

export interface ReceivedRecord extends TopicPartition {
  readonly offset: bigint;
  readonly appendedAtMs: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: Headers;
  /** Set on the placeholders of an unreadable batch that an operator skips (`unreadable-batch.ts`). */
  readonly skip?: SkipRequest;
}

/** The operator who asked for a skip, the id of that action, and the reason given. */
export interface SkipRequest {
  readonly operator: string;
  /** The person behind the operator's token; null: the operator's id names the person. */
  readonly person: string | null;
  /** The second person who confirmed the skip; null: it needed none. */
  readonly confirmedBy: string | null;
  readonly actionId: string;
  readonly reason: string;
}

/** A batch of records that cannot be read (#8). Its sentences and bounds are in `unreadable-batch.ts`. */
export interface UnreadableBatch extends TopicPartition {
  readonly firstOffset: bigint;
  /** Inclusive. With a wrong checksum it is taken from the batch that follows, if there is one. */
  readonly lastOffset: bigint;
  readonly reason: "checksum" | "compression" | "format" | "records";
  /** What exactly was found, such as the number of the codec; never a value of a record. */
  readonly detail: string;
  /** Append time as the batch states it. */
  readonly appendedAtMs: number;
  /** The batch as the broker has it; null if it is larger than `unreadableBytesMax`. */
  readonly bytes: Uint8Array | null;
  readonly byteLength: number;
  readonly sha256: string;
  /** Keys that could be made out, each where it was seen first; a guess from damaged bytes. */
  readonly keys: readonly { readonly offset: bigint; readonly key: Uint8Array }[];
}

/** First offset that the partition still has, and the next offset to be written. */
export interface PartitionEnds {
  readonly logStart: bigint;
  readonly logEnd: bigint;
}

/** The ids that a cluster and a topic get when they are created. Offsets mean something in this topic alone. */
export interface LogIdentity {
  readonly clusterId: string;
  readonly topicId: string;
}

export interface AssignedOffsets extends PartitionEnds {
  /** The group's committed offset; null where it has none. */
  readonly committed: bigint | null;
}

export interface ConsumerHandlers {
  /**
   * This process owns the partition from now on, under this epoch. Returns the offset to start at. A rejection ends the
   * consumer.
   */
  assigned(partition: TopicPartition, epoch: number, log: AssignedOffsets): Promise<bigint>;
  /**
   * The group assigns its partitions again: finishes what is under way, and commits or writes what the next owner
   * starts from (#9). Not called where the process has lost the partition already.
   */
  handOver(partition: TopicPartition, epoch: number): Promise<void>;
  /** This process no longer owns the partition. Work of this epoch may finish; its commits are dropped. */
  revoked(partition: TopicPartition, epoch: number): void;
  /**
   * Receives records in offset order. Must return at once and must not throw; `pause` is the way to slow the consumer
   * down.
   */
  records(partition: TopicPartition, epoch: number, records: readonly ReceivedRecord[]): void;
  /**
   * The partition stops at this batch. Answers whether the consumer goes on behind it; otherwise it reads the batch
   * again after a back-off. After a rejection with a retryable Fault it does so too; any other rejection ends the
   * consumer.
   */
  unreadable(batch: UnreadableBatch, epoch: number): Promise<"skip" | "read-again">;
  /**
   * The consumer cannot go on: it was fenced, its group or start offset is gone, or a handler failed. The process must
   * end.
   */
  failed(reason: Error): void;
}

export interface Consumer {
  /**
   * Hands over nothing of the partition until `resume`. Does nothing for a partition that this process does not own.
   */
  pause(partition: TopicPartition): void;
  resume(partition: TopicPartition): void;
  /**
   * Commits the first offset that is not done. Dropped unless this process owns the partition under `epoch`. May reject
   * with a retryable Fault.
   */
  commit(partition: TopicPartition, nextOffset: bigint, epoch: number): Promise<void>;
  /**
   * Milliseconds since the group coordinator was asked for the newest heartbeat or join that it answered; Infinity
   * before the first.
   */
  heartbeatAgeMs(): number;
  /** Partitions that the group assigns to this process; null before its first join and while it joins again. */
  assignedCount(): number | null;
  /** Hands over no more records of any partition. Commits still work until `stop`. */
  pauseAll(): void;
  /** Revokes every assigned partition and leaves the group. */
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
  /**
   * Returns how many partitions a topic has; null: there is no such topic. Rejects with a retryable
   * `messaging.unavailable`.
   */
  partitionCount(topic: string): Promise<number | null>;
  /**
   * Returns which cluster and which topic this is: a topic that is created again under its name has another identity.
   * Rejects with a retryable `messaging.unavailable`.
   */
  identity(topic: string): Promise<LogIdentity>;
  /**
   * Returns both ends of each partition, in the order asked. Rejects with `messaging.unknown-topic` or a retryable
   * `messaging.unavailable`.
   */
  ends(partitions: readonly TopicPartition[]): Promise<readonly PartitionEnds[]>;
  /**
   * Returns the group's committed offset of each partition, in the order asked; null where it has none. Rejects as
   * `ends` does.
   */
  committedOffsets(group: string, partitions: readonly TopicPartition[]): Promise<readonly (bigint | null)[]>;
  /**
   * Reads the records from `from` (inclusive) to `to` (exclusive) in order, at most up to the end that the partition
   * had when the reading began, which may lie before `to`: `requireCovered` refuses that. Timelines, the rebuild and
   * the checker use it. Rejects with `messaging.outside-log` if retention has cut `from`, with an UnreadableBatchFault
   * at a batch that cannot be read, and with a retryable Fault where the broker hands out nothing for a minute.
   */
  read(partition: TopicPartition, from: bigint, to: bigint): AsyncIterable<ReceivedRecord>;
  close(): Promise<void>;
}
