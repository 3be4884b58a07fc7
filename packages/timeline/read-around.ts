// Reads records as the port of messaging does, but goes on behind a batch that cannot be read. A search would otherwise
// end at that batch for everything in its partition. It covers the whole range, or rejects with a retryable Fault.

import { Fault } from "@sluice/kernel";
import type { Messaging, ReceivedRecord, TopicPartition, UnreadableBatch, UnreadableBatchFault } from "@sluice/messaging";

export interface ReadRange {
  readonly from: bigint;
  readonly to: bigint;
  /** Called for each batch that cannot be read. */
  missed?(batch: UnreadableBatch): void;
}

export async function* readAround(
  messaging: Pick<Messaging, "read">,
  partition: TopicPartition,
  range: ReadRange,
): AsyncGenerator<ReceivedRecord> {
  const { from, to } = range;
  let next = from;
  while (next < to) {
    try {
      for await (const record of messaging.read(partition, next, to)) {
        next = record.offset + 1n;
        yield record;
      }
      if (next < to) throw incomplete(partition, next, to);
    } catch (error) {
      if (!isUnreadableBatch(error)) throw error;
      range.missed?.(error.batch);
      next = error.batch.lastOffset + 1n;
    }
  }
}

/** As `requireCovered` of messaging. */
function incomplete({ topic, partition }: TopicPartition, next: bigint, to: bigint): Fault {
  return new Fault("messaging.read-incomplete", `${topic}/${partition} was read up to ${next}, and not to ${to}`, { isRetryable: true });
}

function isUnreadableBatch(error: unknown): error is UnreadableBatchFault {
  return error instanceof Error && "code" in error && error.code === "messaging.unreadable-batch";
}
