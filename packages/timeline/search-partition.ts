// Finds the records of a few keys in one partition without an index, by a bounded scan from the first record of the
// keys.
//
// #1 At most `searchedRecordsMax` offsets of a partition are scanned. In a longer partition the scan begins at the
//    first record appended after `sinceMs`, found by bisection; without `sinceMs` it covers the last
//    `searchedRecordsMax` offsets.
// #2 If the scan does not reach the partition's end, it continues where something is known to have happened:
//    `aroundRecordsMax` offsets from each time of `aroundMs`. So it finds the end of a delivery that waited for hours
//    behind a million other records.
// #3 The result tells whether records may lie outside the scanned ranges, or in a batch that cannot be read.

import type { PartitionEnds, Messaging, ReceivedRecord, TopicPartition } from "@sluice/messaging";
import { readAround } from "./read-around.ts";

const searchedRecordsMax = 200_000n;
const aroundRecordsMax = 20_000n;
/** Milliseconds that a record may have been appended before its known time, because brokers' clocks differ. */
const aroundBeforeMs = 2_000;

export interface PartitionSearchResult {
  readonly records: readonly ReceivedRecord[];
  readonly isComplete: boolean;
}

export interface PartitionSearch {
  readonly keys: readonly string[];
  /** Epoch milliseconds before which no relevant record of the keys was appended; null if not known. */
  readonly sinceMs: number | null;
  /** Times at which something is known to have happened to the keys, in any order. */
  readonly aroundMs?: readonly number[];
  /** For tests; `searchedRecordsMax` by default. */
  readonly recordsMax?: bigint;
}

export async function searchPartition(
  messaging: Messaging,
  partition: TopicPartition,
  search: PartitionSearch,
): Promise<PartitionSearchResult> {
  const [ends] = await messaging.ends([partition]);
  if (ends === undefined) return { records: [], isComplete: false };
  const recordsMax = search.recordsMax ?? searchedRecordsMax;
  const from = await begin(messaging, partition, ends, search.sinceMs, recordsMax);
  const to = from + recordsMax < ends.logEnd ? from + recordsMax : ends.logEnd;
  const scan = createScan(messaging, partition, search.keys);
  let covered = { to, lastAtMs: await scan.over(from, to) };
  for (const atMs of to < ends.logEnd ? (search.aroundMs ?? []).toSorted((x, y) => x - y) : []) {
    covered = await goOn(messaging, partition, { atMs, covered, logEnd: ends.logEnd, recordsMax }, scan);
  }
  const isBeginKnown = from === ends.logStart || search.sinceMs !== null;
  return { records: scan.found, isComplete: isBeginKnown && to === ends.logEnd && !scan.hasMissed() };
}

interface Scan {
  readonly found: readonly ReceivedRecord[];
  /** Scans a range. Returns the append time of its last record; null if it had none. */
  over(from: bigint, to: bigint): Promise<number | null>;
  /** Tells whether a batch in the scanned ranges could not be read. */
  hasMissed(): boolean;
}

function createScan(messaging: Messaging, partition: TopicPartition, keys: readonly string[]): Scan {
  const wanted = keys.map((key) => new TextEncoder().encode(key));
  const found: ReceivedRecord[] = [];
  let hasMissed = false;
  return {
    found,
    hasMissed: () => hasMissed,
    async over(from, to) {
      let lastAtMs: number | null = null;
      for await (const record of readAround(messaging, partition, { from, to, missed: () => void (hasMissed = true) })) {
        lastAtMs = record.appendedAtMs;
        if (record.key !== null && includesKey(record.key, wanted)) found.push(record);
      }
      return lastAtMs;
    },
  };
}

interface Covered {
  /** End of the last scanned range. */
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
async function goOn(messaging: Messaging, partition: TopicPartition, further: Further, scan: Scan): Promise<Covered> {
  const { atMs, covered, logEnd, recordsMax } = further;
  if (covered.to >= logEnd || (covered.lastAtMs !== null && covered.lastAtMs > atMs + aroundBeforeMs)) return covered;
  const search = { from: covered.to, to: logEnd, sinceMs: atMs - aroundBeforeMs, withinRecords: 0n };
  const from = await findOffsetSince(messaging, partition, search);
  const most = recordsMax < aroundRecordsMax ? recordsMax : aroundRecordsMax;
  const to = from + most < logEnd ? from + most : logEnd;
  return { to, lastAtMs: (await scan.over(from, to)) ?? covered.lastAtMs };
}

async function begin(
  messaging: Messaging,
  partition: TopicPartition,
  { logStart, logEnd }: PartitionEnds,
  sinceMs: number | null,
  recordsMax: bigint,
): Promise<bigint> {
  if (logEnd - logStart <= recordsMax) return logStart;
  if (sinceMs === null) return logEnd - recordsMax;
  return await findOffsetSince(messaging, partition, { from: logStart, to: logEnd, sinceMs, withinRecords: 0n });
}

export interface OffsetSearch {
  readonly from: bigint;
  readonly to: bigint;
  readonly sinceMs: number;
  /** Records that the answer may lie before the exact offset; each bisection step costs one read. */
  readonly withinRecords: bigint;
}

/** Finds an offset at or before every record that was appended at `sinceMs` or later. */
export async function findOffsetSince(
  messaging: Pick<Messaging, "read">,
  partition: TopicPartition,
  search: OffsetSearch,
): Promise<bigint> {
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

/** Returns the first record at or beyond `from`, because offsets have holes. */
async function firstFrom(
  messaging: Pick<Messaging, "read">,
  partition: TopicPartition,
  from: bigint,
  to: bigint,
): Promise<ReceivedRecord | null> {
  for await (const record of readAround(messaging, partition, { from, to })) return record;
  return null;
}

function includesKey(key: Uint8Array, keys: readonly Uint8Array[]): boolean {
  return keys.some((other) => areEqual(key, other));
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
