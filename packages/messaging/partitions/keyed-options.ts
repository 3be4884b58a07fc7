// What a service gives to a keyed consumer (`keyed-consumer.ts`).

import type { PartitionConsumerOptions } from "./partition-consumer.ts";
import type { AssignedOffsets, ReceivedRecord } from "../port.ts";
import type { ReceiverSharing } from "./partition-buffer.ts";
import type { KeyedContent } from "./unread-records.ts";

/** The partition and epoch in which a record was received. */
export interface PartitionEpoch {
  readonly partition: number;
  readonly epoch: number;
  /** False once the epoch is over. From then on the handler must have no outside effect. */
  isCurrent(): boolean;
}

export interface KeyedConsumerOptions<Content> extends PartitionConsumerOptions {
  /** Handlers that may run at once in each partition. */
  readonly runningMax: number;
  /** Without it all records are alike, and nothing is bounded but each partition. */
  readonly sharing?: ReceiverSharing;
  /**
   * Takes a partition and answers the offset to start at. Retried as `handle` is. `assignmentOver` is aborted when the
   * epoch ends, also while this is under way.
   */
  startAt(partition: number, epoch: number, log: AssignedOffsets, assignmentOver: AbortSignal): Promise<bigint>;
  /** A drain begins: handlers should end soon. May be called again. */
  draining?(partition: number, epoch: number): void;
  /** Ends what runs beside the handlers. Called by a drain after their end; may be called again. Must not reject. */
  handOver?(partition: number, epoch: number): Promise<void>;
  /** The epoch is over. Called once for each call of `startAt`, after that call has settled. */
  closed?(partition: number, epoch: number): void;
  /**
   * Decodes a record. Called once for each record, in the order of its receiver: when a handler is free, or when it
   * arrives if it does not name its receiver. Must not throw.
   */
  read(record: ReceivedRecord): KeyedContent<Content>;
  /**
   * Handles a record. After a retryable Fault it is called again, with a back-off; any other rejection ends the
   * consumer.
   */
  handle(record: ReceivedRecord, owned: PartitionEpoch, content: Content): Promise<void>;
  /** Persists the first offset that is not done. Retried as `handle` is. */
  writePosition?(partition: number, epoch: number, nextOffset: bigint): Promise<void>;
}
