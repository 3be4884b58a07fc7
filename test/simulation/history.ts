// What the checker judges, read at points that do not trust the system: raw records of every topic, and the store's snapshots.

import type { HistoryEntry, RecordEntry } from "@sluice/checker";
import { fixedSerde, topics } from "@sluice/contracts";
import type { MemoryLog } from "@sluice/messaging";
import type { Store } from "@sluice/store";
import { recordEntry, snapshotEntry } from "@sluice/testkit";
import type { VirtualTime } from "@sluice/testkit";

const serde = fixedSerde();
const readTopics = Object.values(topics).filter((topic) => topic !== topics.probe);
const uetrPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const stepsMax = 100_000;

/** Records by topic, partition and offset; then snapshots by UETR. Moves the clock by what the store takes to answer. */
export async function readHistory(log: MemoryLog, store: Store, time: VirtualTime, lanes: number): Promise<readonly HistoryEntry[]> {
  const records = recordsOf(log, lanes);
  const uetrs = [...new Set(records.map(({ key }) => key ?? "").filter((key) => uetrPattern.test(key)))].toSorted();
  let isAnswered = false;
  const loading = store.transactions.load(uetrs).finally(() => (isAnswered = true));
  await time.run({ until: () => isAnswered, stepsMax });
  const documents = await loading;
  return [...records, ...uetrs.flatMap((uetr) => documents.get(uetr) ?? []).map(snapshotEntry)];
}

function recordsOf(log: MemoryLog, lanes: number): readonly RecordEntry[] {
  const places = readTopics.flatMap((topic) => Array.from({ length: lanes }, (_, partition) => ({ topic, partition })));
  return places.flatMap((place) => log.records(place).map((record) => recordEntry(record, serde)));
}
