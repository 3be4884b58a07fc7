// The records of the memory adapter: partitions, offsets, and the broker's own clock.
//
// #1 Append times of a partition never go back, whatever the clock does.
// #2 What is stored is a copy: no caller can change the log.

import { refused, unknownTopic } from "./faults.ts";
import type { Appended, LogEnds, OutgoingRecord, ReceivedRecord, TopicPartition } from "./port.ts";

export interface MemoryRecords {
  addTopic(topic: string, partitions: number): void;
  /** Throws for a topic that does not exist. */
  partitionsOf(topic: string): number;
  has(partition: TopicPartition): boolean;
  append(record: OutgoingRecord): Appended;
  ends(partition: TopicPartition): LogEnds;
  /** At most `recordsMax` records from `from` on. */
  slice(partition: TopicPartition, from: bigint, recordsMax: number): readonly ReceivedRecord[];
  all(partition: TopicPartition): readonly ReceivedRecord[];
  /** Forgets what lies below, as retention does. */
  truncate(partition: TopicPartition, before: bigint): void;
  /** Leaves a hole, as a control record or compaction does. */
  skipOffset(partition: TopicPartition): void;
  /** Calls `grown` after each append to a partition of the topic, until disposed. */
  watch(topic: string, grown: (partition: number) => void): Disposable;
}

interface Log {
  start: bigint;
  end: bigint;
  appendedAtMs: number;
  records: ReceivedRecord[];
}

export function createMemoryRecords(topics: Readonly<Record<string, number>>, brokerNowMs: () => number): MemoryRecords {
  const logs = new Map<string, Log[]>();
  const watchers = new Map<string, Set<(partition: number) => void>>();
  for (const [topic, partitions] of Object.entries(topics)) addTopic(topic, partitions);

  function addTopic(topic: string, partitions: number): void {
    if (logs.has(topic)) throw refused(`there is a topic ${topic} already`, { isRetryable: false });
    logs.set(
      topic,
      Array.from({ length: partitions }, () => ({ start: 0n, end: 0n, appendedAtMs: 0, records: [] })),
    );
    watchers.set(topic, new Set());
  }

  function logOf({ topic, partition }: TopicPartition): Log {
    const log = logs.get(topic)?.[partition];
    if (log === undefined) throw unknownTopic(`there is no ${topic}/${partition}`);
    return log;
  }

  return {
    addTopic,
    partitionsOf(topic) {
      const partitions = logs.get(topic);
      if (partitions === undefined) throw unknownTopic(`there is no topic ${topic}`);
      return partitions.length;
    },
    has: ({ topic, partition }) => logs.get(topic)?.[partition] !== undefined,
    append(record) {
      const log = logOf(record);
      log.appendedAtMs = Math.max(log.appendedAtMs, Math.floor(brokerNowMs()));
      const place = { topic: record.topic, partition: record.partition, offset: log.end, appendedAtMs: log.appendedAtMs };
      log.records.push({ ...place, key: copy(record.key), value: copy(record.value), headers: { ...record.headers } });
      log.end += 1n;
      for (const grown of watchers.get(record.topic) ?? []) grown(record.partition);
      return place;
    },
    ends(partition) {
      const log = logOf(partition);
      return { logStart: log.start, logEnd: log.end };
    },
    slice(partition, from, recordsMax) {
      const { records } = logOf(partition);
      const first = indexFrom(records, from);
      return records.slice(first, first + recordsMax);
    },
    all: (partition) => [...logOf(partition).records],
    truncate(partition, before) {
      const log = logOf(partition);
      if (before > log.end) throw refused("a log cannot start beyond its end", { isRetryable: false });
      log.start = before > log.start ? before : log.start;
      log.records = log.records.slice(indexFrom(log.records, log.start));
    },
    skipOffset(partition) {
      logOf(partition).end += 1n;
    },
    watch(topic, grown) {
      const ofTopic = watchers.get(topic);
      if (ofTopic === undefined) throw unknownTopic(`there is no topic ${topic}`);
      ofTopic.add(grown);
      return { [Symbol.dispose]: () => void ofTopic.delete(grown) };
    },
  };
}

/** First index whose record lies at or beyond the offset: offsets grow, but not by one. */
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
