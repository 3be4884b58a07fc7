// What a consumer says of its partitions at each scrape: a value of the last batch would stay as it was while a
// partition stands.

import type { ListedMetric, ListedSample } from "@sluice/kernel";
import type { ReceivedRecord } from "../../port.ts";
import type { UnreadRecord } from "../unread-records.ts";

/** The oldest record that is received and not done. */
export interface OldestRecord {
  readonly record: ReceivedRecord;
  /** Since when it is the oldest one, in milliseconds of the monotonic clock. */
  readonly sinceMs: number;
}

/** `movedAtMs`: when the position moved last. */
export function findOldestRecord(first: UnreadRecord<unknown> | null, movedAtMs: number): OldestRecord | null {
  const record = first?.record ?? first?.taken?.record;
  return first === null || record === undefined ? null : { record, sinceMs: Math.max(movedAtMs, first.receivedAtMs) };
}

const labels = ["topic", "partition"];

const recordAge: ListedMetric = {
  name: "sluice_partition_record_age_seconds",
  help: "Age of the oldest record that is received and not done; 0: all are done",
  kind: "gauge",
  labels,
};
const heartbeat: ListedMetric = {
  name: "sluice_partition_heartbeat_timestamp_seconds",
  help: "When the partition last finished a record or, where it has none and no trouble, heard from its group",
  kind: "gauge",
  labels,
};
export const partitionSeries: readonly ListedMetric[] = [recordAge, heartbeat];

/** A partition of this process at the time of a scrape. */
export interface ScrapedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly oldest: OldestRecord | null;
  /** Epoch milliseconds of its heartbeat. */
  readonly beatAtMs: number;
}

export function listPartitionSamples({ topic, partition, oldest, beatAtMs }: ScrapedPartition, nowMs: number): readonly ListedSample[] {
  const own = { topic, partition: String(partition) };
  const ageMs = oldest === null ? 0 : Math.max(0, nowMs - oldest.record.appendedAtMs);
  return [
    { name: recordAge.name, labels: own, value: ageMs / 1_000 },
    { name: heartbeat.name, labels: own, value: beatAtMs / 1_000 },
  ];
}
