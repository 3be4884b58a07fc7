// Reads what the checker examines, at points that do not trust the system: raw records of every topic, and the store's
// snapshots.

import type { HistoryEntry, RecordEntry } from "@sluice/checker";
import { createFixedSerde, type Serde, topics } from "@sluice/contracts";
import type { MemoryBroker } from "@sluice/messaging";
import type { Store } from "@sluice/store";
import { toRecordEntry, toSnapshotEntry, type VirtualTime } from "@sluice/testkit";

/** All processes of all runs share it. It keeps nothing of what it reads, and building one is slower than a crash. */
export const simulatedSerde = createFixedSerde();
const readTopics = Object.values(topics).filter((topic) => topic !== topics.probe);
const uetrPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const stepsMax = 100_000;

/**
 * Returns records by topic, partition and offset, then snapshots by UETR. Moves the clock until the store has answered.
 */
export async function readHistory(
  broker: MemoryBroker,
  store: Store,
  time: VirtualTime,
  partitionCount: number,
  serde: Serde,
): Promise<readonly HistoryEntry[]> {
  const records = await collectRecords(broker, partitionCount, serde);
  const uetrs = [...new Set(records.map(({ key }) => key ?? "").filter((key) => uetrPattern.test(key)))].toSorted();
  let isAnswered = false;
  const loading = store.transactions.load(uetrs).finally(() => (isAnswered = true));
  await time.run({ until: () => isAnswered, stepsMax });
  const documents = await loading;
  return [...records, ...uetrs.flatMap((uetr) => documents.get(uetr) ?? []).map(toSnapshotEntry)];
}

/** Describes each partition of the journal that the schedulers have not handled to its end. */
export async function findUnhandled(
  broker: MemoryBroker,
  store: Store,
  time: VirtualTime,
  partitionCount: number,
): Promise<readonly string[]> {
  let isAnswered = false;
  const listing = store.partitions.list("scheduler").finally(() => (isAnswered = true));
  await time.run({ until: () => isAnswered, stepsMax });
  const positions = new Map((await listing).map(({ partition, position }) => [partition, position]));
  return Array.from({ length: partitionCount }, (_, partition) => partition).flatMap((partition) => {
    const end = broker.records({ topic: topics.journal, partition }).length;
    const position = positions.get(partition) ?? 0n;
    return position >= BigInt(end) ? [] : [`the schedulers are at offset ${position} of ${end} in partition ${partition}`];
  });
}

async function collectRecords(broker: MemoryBroker, partitionCount: number, serde: Serde): Promise<readonly RecordEntry[]> {
  const places = readTopics.flatMap((topic) => Array.from({ length: partitionCount }, (_, partition) => ({ topic, partition })));
  const records = places.flatMap((place) => broker.records(place));
  for (const { value } of records) if (value !== null && serde.knows?.(value) === false) await serde.learn(value).catch(() => {});
  return records.map((record) => toRecordEntry(record, serde));
}
