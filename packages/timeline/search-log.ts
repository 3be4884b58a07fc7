// Finds the records of a few keys in one partition, without an index: a bounded walk, begun where the key's story began.
//
// 1. At most `searchedRecordsMax` offsets of a partition are walked over. Is the log longer, the walk begins at the first record appended
//    after `sinceMs`, found by halving; without `sinceMs`, at the end less that many.
// 2. Does the walk not reach the log's end, it goes on where something is known to have happened: `aroundRecordsMax` offsets from each time of
//    `aroundMs`. So the end of a delivery that waited for hours is found behind a million records of others.
// 3. It says whether something may lie outside of what was walked over.

import type { LogEnds, Messaging, ReceivedRecord, TopicPartition } from "@sluice/messaging";

export const searchedRecordsMax = 200_000n;
export const aroundRecordsMax = 20_000n;
/** What belongs to a time may have been appended so much earlier: clocks of brokers. */
const aroundBeforeMs = 2_000;

export interface Found {
  readonly records: readonly ReceivedRecord[];
  readonly isComplete: boolean;
}

export interface Search {
  readonly keys: readonly string[];
  /** Nothing of the keys that counts was appended before, epoch milliseconds; null: not known. */
  readonly sinceMs: number | null;
  /** When something of the keys happened, as far as it is known; in any order. */
  readonly aroundMs?: readonly number[];
  /** For tests; `searchedRecordsMax` where none is given. */
  readonly recordsMax?: bigint;
}

export async function searchLog(messaging: Messaging, partition: TopicPartition, search: Search): Promise<Found> {
  const [ends] = await messaging.ends([partition]);
  if (ends === undefined) return { records: [], isComplete: false };
  const recordsMax = search.recordsMax ?? searchedRecordsMax;
  const from = await begin(messaging, partition, ends, search.sinceMs, recordsMax);
  const to = from + recordsMax < ends.logEnd ? from + recordsMax : ends.logEnd;
  const walk = walkOver(messaging, partition, search.keys);
  let covered = { to, lastAtMs: await walk.over(from, to) };
  for (const atMs of to < ends.logEnd ? (search.aroundMs ?? []).toSorted((x, y) => x - y) : []) {
    covered = await goOn(messaging, partition, { atMs, covered, logEnd: ends.logEnd, recordsMax }, walk);
  }
  const isBeginKnown = from === ends.logStart || search.sinceMs !== null;
  return { records: walk.found, isComplete: isBeginKnown && to === ends.logEnd };
}

interface Walk {
  readonly found: readonly ReceivedRecord[];
  /** Answers when the last record was appended; null: there was none. */
  over(from: bigint, to: bigint): Promise<number | null>;
}

function walkOver(messaging: Messaging, partition: TopicPartition, keys: readonly string[]): Walk {
  const wanted = keys.map((key) => new TextEncoder().encode(key));
  const found: ReceivedRecord[] = [];
  return {
    found,
    async over(from, to) {
      let lastAtMs: number | null = null;
      for await (const record of messaging.read(partition, from, to)) {
        lastAtMs = record.appendedAtMs;
        if (record.key !== null && isOneOf(record.key, wanted)) found.push(record);
      }
      return lastAtMs;
    },
  };
}

interface Covered {
  /** All before it was walked over, from the beginning or from somewhere. */
  readonly to: bigint;
  readonly lastAtMs: number | null;
}

interface Further {
  readonly atMs: number;
  readonly covered: Covered;
  readonly logEnd: bigint;
  readonly recordsMax: bigint;
}

/** #2 */
async function goOn(messaging: Messaging, partition: TopicPartition, further: Further, walk: Walk): Promise<Covered> {
  const { atMs, covered, logEnd, recordsMax } = further;
  if (covered.to >= logEnd || (covered.lastAtMs !== null && covered.lastAtMs > atMs + aroundBeforeMs)) return covered;
  const search = { from: covered.to, to: logEnd, sinceMs: atMs - aroundBeforeMs, withinRecords: 0n };
  const from = await offsetSince(messaging, partition, search);
  const most = recordsMax < aroundRecordsMax ? recordsMax : aroundRecordsMax;
  const to = from + most < logEnd ? from + most : logEnd;
  return { to, lastAtMs: (await walk.over(from, to)) ?? covered.lastAtMs };
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
