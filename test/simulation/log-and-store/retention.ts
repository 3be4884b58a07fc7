// Takes old records away while a day is simulated, as brokers do: from every topic whose retention is bounded, whether
// somebody has read them or not.
//
// #1 Readers of the simulation see what is left. The checker sees what was taken too: it examines what happened.
// #2 A topic that is kept for ever, or compacted, loses nothing.

import { buildTopicSpecs, type MemoryBroker, type ReceivedRecord, type TopicPartition } from "@sluice/messaging";
import type { Time } from "@sluice/kernel";

export interface RetainingBroker {
  readonly broker: MemoryBroker;
  /** How many records were taken so far. */
  readonly takenCount: () => number;
}

interface RetentionOptions {
  readonly time: Time;
  readonly partitionCount: number;
  /** Milliseconds that a record is kept; null: for ever. */
  readonly retentionMs: number | null;
}

/** Brokers look for what is old every few minutes; a day here has minutes. */
const lookEveryMs = 2_000;

export function withRetention(broker: MemoryBroker, { time, partitionCount, retentionMs }: RetentionOptions): RetainingBroker {
  const taken = new Map<string, ReceivedRecord[]>();
  const places = listBoundedTopics(partitionCount).flatMap(({ topic, partitions }) =>
    Array.from({ length: partitions }, (_, partition): TopicPartition => ({ topic, partition })),
  );
  let takenCount = 0;

  function take(place: TopicPartition, olderThanMs: number): void {
    const old = broker.records(place).filter(({ appendedAtMs }) => appendedAtMs < olderThanMs);
    const last = old.at(-1);
    if (last === undefined) return;
    broker.truncate(place, last.offset + 1n);
    taken.set(keyFor(place), [...(taken.get(keyFor(place)) ?? []), ...old]);
    takenCount += old.length;
  }

  function look(keptMs: number): void {
    for (const place of places) take(place, time.nowMs() - keptMs);
    time.after(lookEveryMs, () => look(keptMs));
  }

  if (retentionMs !== null) look(retentionMs);
  return {
    broker: { ...broker, records: (place) => [...(taken.get(keyFor(place)) ?? []), ...broker.records(place)] },
    takenCount: () => takenCount,
  };
}

/** #2 */
function listBoundedTopics(partitionCount: number) {
  const specs = buildTopicSpecs({ partitionCount, replication: 1, minInsync: 1 });
  return specs.filter(({ config }) => config["cleanup.policy"] === "delete" && Number(config["retention.ms"]) > 0);
}

function keyFor({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
