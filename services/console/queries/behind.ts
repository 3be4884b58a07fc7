// How far a partition is behind in time: the age of the first record that its service has not done.
//
// #1 Only partitions with a lag are read, one record of each. What cannot be read in time is not known.

import { requireCovered, type Messaging, type TopicPartition } from "@sluice/messaging";
import { sleep, type Time } from "@sluice/kernel";

export interface BehindPorts {
  readonly time: Time;
  readonly messaging: Pick<Messaging, "read">;
}

interface Place extends TopicPartition {
  readonly position: bigint;
  readonly lag: bigint;
}

const waitMaxMs = 1_000;

/** Whole seconds for each place; 0: nothing is behind; null: not known. */
export async function findBehindSeconds(ports: BehindPorts, places: readonly Place[], nowMs: number | null) {
  return await Promise.all(places.map((place) => behindSeconds(ports, place, nowMs)));
}

async function behindSeconds({ time, messaging }: BehindPorts, { position, lag, ...partition }: Place, nowMs: number | null) {
  if (lag === 0n) return 0;
  if (nowMs === null) return null;
  const waiting = new AbortController();
  const tooLong = sleep(time, waitMaxMs, waiting.signal).then(() => null);
  const appendedAtMs = await Promise.race([readAppendTime(messaging, partition, position), tooLong]).finally(() => waiting.abort());
  return appendedAtMs === null ? null : Math.max(0, Math.floor((nowMs - appendedAtMs) / 1_000));
}

/** #1 Null: retention has cut it, or the broker does not answer. */
async function readAppendTime(messaging: Pick<Messaging, "read">, partition: TopicPartition, offset: bigint): Promise<number | null> {
  const to = offset + 1n;
  try {
    for await (const { appendedAtMs } of requireCovered(messaging.read(partition, offset, to), partition, offset, to)) return appendedAtMs;
    return null;
  } catch {
    return null;
  }
}
