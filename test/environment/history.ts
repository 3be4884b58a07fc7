// Collects the whole history of a run for the checker: what the banks sent and received, every record of every topic
// from offset 0, and the snapshots of all transactions.

import type { HistoryEntry } from "@sluice/checker";
import { partitionCountDefault, topics, type Serde } from "@sluice/contracts";
import type { Messaging, TopicPartition } from "@sluice/messaging";
import type { TransactionDocument, TransactionStore } from "@sluice/store";
import { toRecordEntry, toSnapshotEntry, type RecordedRequest } from "@sluice/testkit";

export interface HistorySources {
  readonly messaging: Messaging;
  readonly serde: Serde;
  readonly requests: readonly RecordedRequest[];
  readonly documents: ReadonlyMap<string, TransactionDocument>;
}

const loadMax = 1_000;

export async function loadDocuments(store: TransactionStore, uetrs: readonly string[]): Promise<ReadonlyMap<string, TransactionDocument>> {
  const documents = new Map<string, TransactionDocument>();
  for (let from = 0; from < uetrs.length; from += loadMax) {
    for (const [uetr, document] of await store.load(uetrs.slice(from, from + loadMax))) documents.set(uetr, document);
  }
  return documents;
}

export async function collectHistory(sources: HistorySources): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = sources.requests.map(({ entry }) => entry);
  for await (const entry of readRecords(sources)) entries.push(entry);
  for (const document of sources.documents.values()) entries.push(toSnapshotEntry(document));
  return entries;
}

async function* readRecords({ messaging, serde }: HistorySources): AsyncGenerator<HistoryEntry> {
  const { journal, dispatch, events, receipts, stateEvents, items, deadLetters } = topics;
  const partitions: TopicPartition[] = [journal, dispatch, events, receipts, stateEvents, items, deadLetters].flatMap((topic) =>
    Array.from({ length: partitionCountDefault }, (_, partition) => ({ topic, partition })),
  );
  const ends = await messaging.ends(partitions);
  for (const [index, partition] of partitions.entries()) {
    const end = ends[index];
    if (end === undefined || end.logEnd === 0n) continue;
    for await (const record of messaging.read(partition, 0n, end.logEnd)) yield toRecordEntry(record, serde);
  }
}
