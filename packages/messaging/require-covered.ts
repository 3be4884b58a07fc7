// A reading that covers its whole range, or is rejected. A broker may end a reading early: a leader that has just moved
// knows less than the one before it, and an answer to a throttled client is empty. A fold, a comparison or a
// count must not take that for the end.

import { readIncomplete } from "./faults.ts";
import type { Messaging, ReceivedRecord, TopicPartition } from "./port.ts";

/**
 * Hands on the records of a reading from `from` to `to`. Rejects with a retryable `messaging.read-incomplete` if it
 * ends before `to`. Only for topics without compaction and transactions, in which every offset has a record.
 */
export async function* requireCovered(
  records: AsyncIterable<ReceivedRecord>,
  place: TopicPartition,
  from: bigint,
  to: bigint,
): AsyncGenerator<ReceivedRecord> {
  let next = from;
  for await (const record of records) {
    next = record.offset + 1n;
    yield record;
  }
  if (next < to) throw readIncomplete(place, next, to);
}

/**
 * Reads a compacted topic from `from` to `to`, and rejects as `requireCovered` does. Offsets may be missing there, but
 * never the last one of a partition: a record at `to - 1`, or behind it, shows that nothing more is to come.
 */
export async function* readCompacted(
  messaging: Pick<Messaging, "ends" | "read">,
  place: TopicPartition,
  from: bigint,
  to: bigint,
): AsyncGenerator<ReceivedRecord> {
  const [ends] = await messaging.ends([place]);
  const end = ends !== undefined && ends.logEnd > to ? ends.logEnd : to;
  let next = from;
  for await (const record of messaging.read(place, from, end)) {
    next = record.offset + 1n;
    if (record.offset >= to) return;
    yield record;
  }
  if (next < to) throw readIncomplete(place, next, to);
}
