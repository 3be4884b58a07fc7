// Tells since when a partition has all its records: retention removes the oldest.

import type { Messaging, PartitionEnds, TopicPartition } from "@sluice/messaging";
import type { Time } from "@sluice/kernel";
import { readAround } from "@sluice/timeline";

/** Milliseconds by which the clocks of two brokers may differ: an event may look older than its cause. */
export const brokerSkewMaxMs = 10_000;

/** Append time of the oldest record that is left, or now if none is; null: nothing was ever removed. */
export async function readTopicBegin(
  { messaging, time }: { readonly messaging: Pick<Messaging, "read">; readonly time: Time },
  partition: TopicPartition,
  { logStart, logEnd }: PartitionEnds,
): Promise<number | null> {
  if (logStart === 0n) return null;
  for await (const { appendedAtMs } of readAround(messaging, partition, { from: logStart, to: logEnd })) return appendedAtMs;
  return time.nowMs();
}
