// The stored records of the memory adapter: partitions, offsets, and the broker's clock.
//
// #1 Append times of a partition never go back, whatever the clock does.
// #2 Records are stored as copies, so that no caller can change them.

import { brokerUnavailable, requestRefused, unknownTopic } from "../faults.ts";
import { describeBytes } from "../unreadable-batch.ts";
import type { AppendResult, PartitionEnds, OutgoingRecord, ReceivedRecord, TopicPartition, UnreadableBatch } from "../port.ts";

export interface MemoryRecords {
  addTopic(topic: string, partitions: number): void;
  /** Returns the number of partitions. Throws for a topic that does not exist. */
  partitionCount(topic: string): number;
  has(partition: TopicPartition): boolean;
  append(record: OutgoingRecord): AppendResult;
  ends(partition: TopicPartition): PartitionEnds;
  /**
   * Makes a range of records unreadable, as a damaged batch is; null makes the whole partition readable again.
   */
  breakBatch(partition: TopicPartition, broken: BrokenRange | null): void;
  /** Returns the batch that contains the offset, if it cannot be read. */
  unreadableAt(partition: TopicPartition, offset: bigint): UnreadableBatch | null;
  /** Returns at most `recordsMax` records from `from` on; the batch that cannot be read ends them. */
  slice(partition: TopicPartition, from: bigint, recordsMax: number): readonly ReceivedRecord[];
  all(partition: TopicPartition): readonly ReceivedRecord[];
  /** Removes the records below `before`, as retention does. */
  truncate(partition: TopicPartition, before: bigint): void;
  /** Without a leader nobody can append to the partition or read it. Each has one at first. */
  setLeader(partition: TopicPartition, isThere: boolean): void;
  hasLeader(partition: TopicPartition): boolean;
  /** Leaves a hole, as a control record or compaction does. */
  skipOffset(partition: TopicPartition): void;
  /** Calls `grown` after each append to a partition of the topic, until disposed. */
  watch(topic: string, grown: (partition: number) => void): Disposable;
}

export interface BrokenRange {
  readonly firstOffset: bigint;
  /** Inclusive. */
  readonly lastOffset: bigint;
  readonly reason: UnreadableBatch["reason"];
  readonly areKeysKnown: boolean;
}

interface StoredPartition {
  start: bigint;
  end: bigint;
  appendedAtMs: number;
  records: ReceivedRecord[];
  broken: BrokenRange[];
  hasLeader: boolean;
}

export function createMemoryRecords(
  topics: Readonly<Record<string, number>>,
  brokerNowMs: (partition: TopicPartition) => number,
): MemoryRecords {
  const stored = new Map<string, StoredPartition[]>();
  const watchers = new Map<string, Set<(partition: number) => void>>();
  for (const [topic, partitions] of Object.entries(topics)) addTopic(topic, partitions);

  function addTopic(topic: string, partitions: number): void {
    if (stored.has(topic)) throw requestRefused(`there is a topic ${topic} already`, { isRetryable: false });
    stored.set(
      topic,
      Array.from({ length: partitions }, () => ({ start: 0n, end: 0n, appendedAtMs: 0, records: [], broken: [], hasLeader: true })),
    );
    watchers.set(topic, new Set());
  }

  function find({ topic, partition }: TopicPartition): StoredPartition {
    const found = stored.get(topic)?.[partition];
    if (found === undefined) throw unknownTopic(`there is no ${topic}/${partition}`);
    return found;
  }

  return {
    addTopic,
    partitionCount(topic) {
      const partitions = stored.get(topic);
      if (partitions === undefined) throw unknownTopic(`there is no topic ${topic}`);
      return partitions.length;
    },
    setLeader: (partition, isThere) => void (find(partition).hasLeader = isThere),
    hasLeader: (partition) => find(partition).hasLeader,
    has: ({ topic, partition }) => stored.get(topic)?.[partition] !== undefined,
    append(record) {
      const into = find(record);
      into.appendedAtMs = Math.max(into.appendedAtMs, Math.floor(brokerNowMs(record)));
      const place = { topic: record.topic, partition: record.partition, offset: into.end, appendedAtMs: into.appendedAtMs };
      into.records.push({ ...place, key: copy(record.key), value: copy(record.value), headers: { ...record.headers } });
      into.end += 1n;
      for (const grown of watchers.get(record.topic) ?? []) grown(record.partition);
      return place;
    },
    ends: (partition) => toEnds(find(partition)),
    slice: (partition, from, recordsMax) => sliceReadable(find(partition), from, recordsMax),
    breakBatch(partition, range) {
      const stored = find(partition);
      stored.broken = range === null ? [] : [...stored.broken, range];
      for (const changed of watchers.get(partition.topic) ?? []) changed(partition.partition);
    },
    unreadableAt(partition, offset) {
      const { records, broken, end } = find(partition);
      const range = broken.find(({ firstOffset, lastOffset }) => firstOffset < end && offset >= firstOffset && offset <= lastOffset);
      return range === undefined ? null : describeBroken(partition, range, records);
    },
    all: (partition) => [...find(partition).records],
    truncate(partition, before) {
      const cut = find(partition);
      if (before > cut.end) throw requestRefused("a partition cannot start beyond its end", { isRetryable: false });
      cut.start = before > cut.start ? before : cut.start;
      cut.records = cut.records.slice(indexFrom(cut.records, cut.start));
    },
    skipOffset(partition) {
      find(partition).end += 1n;
    },
    watch(topic, grown) {
      const topicWatchers = watchers.get(topic);
      if (topicWatchers === undefined) throw unknownTopic(`there is no topic ${topic}`);
      topicWatchers.add(grown);
      return { [Symbol.dispose]: () => void topicWatchers.delete(grown) };
    },
  };
}

function sliceReadable({ records, broken }: StoredPartition, from: bigint, recordsMax: number): readonly ReceivedRecord[] {
  const first = indexFrom(records, from);
  const ends = broken.filter(({ lastOffset }) => lastOffset >= from).map(({ firstOffset }) => indexFrom(records, firstOffset));
  return records.slice(first, Math.min(first + recordsMax, ...ends));
}

function describeBroken(place: TopicPartition, range: BrokenRange, records: readonly ReceivedRecord[]): UnreadableBatch {
  const inside = records.filter(({ offset }) => offset >= range.firstOffset && offset <= range.lastOffset);
  const byKey = new Map<string, { readonly offset: bigint; readonly key: Uint8Array }>();
  for (const { offset, key } of range.areKeysKnown ? inside : []) {
    const text = Buffer.from(key ?? []).toString("latin1");
    if (key !== null && !byKey.has(text)) byKey.set(text, { offset, key });
  }
  const { firstOffset, lastOffset, reason } = range;
  const bytes = describeBytes(Buffer.concat(inside.map(({ value }) => value ?? new Uint8Array())));
  const appendedAtMs = inside.at(-1)?.appendedAtMs ?? 0;
  return { ...place, firstOffset, lastOffset, reason, detail: "broken on demand", appendedAtMs, ...bytes, keys: [...byKey.values()] };
}

/** Finds the first index whose record is at or beyond the offset. Offsets grow, but have holes. */
function indexFrom(records: readonly ReceivedRecord[], offset: bigint): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const record = records[middle];
    if (record !== undefined && record.offset < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function copy(bytes: Uint8Array | null): Uint8Array | null {
  return bytes === null ? null : Uint8Array.from(bytes);
}

function toEnds({ start, end }: StoredPartition): PartitionEnds {
  return { logStart: start, logEnd: end };
}

/** Returns both ends of a partition, as its leader answers them. */
export function endsOf(records: MemoryRecords, partition: TopicPartition): PartitionEnds {
  const ends = records.ends(partition);
  if (!records.hasLeader(partition)) throw brokerUnavailable(`${partition.topic}/${partition.partition} has no leader`);
  return ends;
}
