// Reads what the checker examines, at points that do not trust the system: raw records of every topic, and the store's
// snapshots.

import type { HistoryEntry, RecordEntry } from "@sluice/checker";
import { createFixedSerde, topics } from "@sluice/contracts";
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
): Promise<readonly HistoryEntry[]> {
  const records = collectRecords(broker, partitionCount);
  const uetrs = [...new Set(records.map(({ key }) => key ?? "").filter((key) => uetrPattern.test(key)))].toSorted();
  let isAnswered = false;
  const loading = store.transactions.load(uetrs).finally(() => (isAnswered = true));
  await time.run({ until: () => isAnswered, stepsMax });
  const documents = await loading;
  return [...records, ...uetrs.flatMap((uetr) => documents.get(uetr) ?? []).map(toSnapshotEntry)];
}

function collectRecords(broker: MemoryBroker, partitionCount: number): readonly RecordEntry[] {
  const places = readTopics.flatMap((topic) => Array.from({ length: partitionCount }, (_, partition) => ({ topic, partition })));
  return places.flatMap((place) => broker.records(place).map((record) => toRecordEntry(record, simulatedSerde)));
}
