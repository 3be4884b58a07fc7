// Finds the records of a few keys in one partition, without an index: a bounded walk, begun where the key's story began.
//
// 1. At most `searchedRecordsMax` offsets of a partition are walked over. Is the log longer, the walk begins at the first record appended
//    after `sinceMs`, found by halving; without `sinceMs`, at the end less that many.
// 2. It says whether something may lie outside of what was walked over.

import type { LogEnds, Messaging, ReceivedRecord, TopicPartition } from "@sluice/messaging";

export const searchedRecordsMax = 200_000n;

export interface Found {
  readonly records: readonly ReceivedRecord[];
  readonly isComplete: boolean;
}

export interface Search {
  readonly keys: readonly string[];
  /** Nothing of the keys that counts was appended before, epoch milliseconds; null: not known. */
  readonly sinceMs: number | null;
  /** For tests; `searchedRecordsMax` where none is given. */
  readonly recordsMax?: bigint;
}

export async function searchLog(messaging: Messaging, partition: TopicPartition, search: Search): Promise<Found> {
  const [ends] = await messaging.ends([partition]);
  if (ends === undefined) return { records: [], isComplete: false };
  const recordsMax = search.recordsMax ?? searchedRecordsMax;
  const from = await begin(messaging, partition, ends, search.sinceMs, recordsMax);
  const to = from + recordsMax < ends.logEnd ? from + recordsMax : ends.logEnd;
  const keys = search.keys.map((key) => new TextEncoder().encode(key));
  const records: ReceivedRecord[] = [];
  for await (const record of messaging.read(partition, from, to)) {
    if (record.key !== null && isOneOf(record.key, keys)) records.push(record);
  }
  const isBeginKnown = from === ends.logStart || search.sinceMs !== null;
  return { records, isComplete: isBeginKnown && to === ends.logEnd };
}

async function begin(
  messaging: Messaging,
  partition: TopicPartition,
  { logStart, logEnd }: LogEnds,
  sinceMs: number | null,
  recordsMax: bigint,
): Promise<bigint> {
  if (logEnd - logStart <= recordsMax) return logStart;
  if (sinceMs === null) return logEnd - recordsMax;
  return await offsetSince(messaging, partition, { from: logStart, to: logEnd, sinceMs, withinRecords: 0n });
}

export interface OffsetSearch {
  readonly from: bigint;
  readonly to: bigint;
  readonly sinceMs: number;
  /** How far before the first record the answer may lie; each halving reads once. */
  readonly withinRecords: bigint;
}

/** An offset from which on every record lies that was appended at `sinceMs` or later. */
export async function offsetSince(messaging: Messaging, partition: TopicPartition, search: OffsetSearch): Promise<bigint> {
  let low = search.from;
  let high = search.to;
  while (high - low > search.withinRecords) {
    const middle = (low + high) / 2n;
    const record = await firstFrom(messaging, partition, middle, high);
    if (record !== null && record.appendedAtMs < search.sinceMs) low = record.offset + 1n;
    else high = middle;
  }
  return low;
}

/** Offsets have holes: the first record at or beyond `from`. */
async function firstFrom(messaging: Messaging, partition: TopicPartition, from: bigint, to: bigint): Promise<ReceivedRecord | null> {
  for await (const record of messaging.read(partition, from, to)) return record;
  return null;
}

function isOneOf(key: Uint8Array, keys: readonly Uint8Array[]): boolean {
  return keys.some((other) => areEqual(key, other));
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
