// Collects the whole history of a run for the checker: what the banks sent and received, every record of every topic
// from offset 0, and the snapshots of all transactions.

import type { HistoryEntry } from "@sluice/checker";
import { partitionCountDefault, topics, type Serde } from "@sluice/contracts";
import { sleep, type Time } from "@sluice/kernel";
import { type Messaging, requireCovered, type TopicPartition } from "@sluice/messaging";
import type { TransactionDocument, TransactionStore } from "@sluice/store";
import { toRecordEntry, toSnapshotEntry, type RecordedRequest } from "@sluice/testkit";

export interface HistorySources {
  readonly messaging: Messaging;
  readonly serde: Serde;
  readonly requests: readonly RecordedRequest[];
  readonly documents: ReadonlyMap<string, TransactionDocument>;
}

const loadMax = 1_000;
const recordedPartitions: readonly TopicPartition[] = [
  topics.journal,
  topics.dispatch,
  topics.events,
  topics.receipts,
  topics.stateEvents,
  topics.items,
  topics.deadLetters,
].flatMap((topic) => Array.from({ length: partitionCountDefault }, (_, partition) => ({ topic, partition })));

export async function loadDocuments(store: TransactionStore, uetrs: readonly string[]): Promise<ReadonlyMap<string, TransactionDocument>> {
  const documents = new Map<string, TransactionDocument>();
  for (let from = 0; from < uetrs.length; from += loadMax) {
    for (const [uetr, document] of await store.load(uetrs.slice(from, from + loadMax))) documents.set(uetr, document);
  }
  return documents;
}

const quietReadsMax = 20;
const quietAgainAfterMs = 500;

/**
 * Reads until nothing changed meanwhile, for `quietReadsMax` reads at most, and returns the last read. A history that
 * is read while messages are delivered is torn: it has the receipt of a request that was made after the requests were
 * listed.
 */
export async function readOnceQuiet<T>(time: Time, mark: () => Promise<string>, read: () => Promise<T>): Promise<T> {
  for (let reads = 1; ; reads += 1) {
    const before = await mark();
    const result = await read();
    if (reads >= quietReadsMax || (await mark()) === before) return result;
    await sleep(time, quietAgainAfterMs);
  }
}

/** Describes how far a run has come. The text changes with each request and each record. */
export async function describeProgress({ messaging, requests }: Pick<HistorySources, "messaging" | "requests">): Promise<string> {
  const ends = await messaging.ends(recordedPartitions);
  return [requests.length, ...ends.map(({ logEnd }) => logEnd)].join(" ");
}

export async function collectHistory(sources: HistorySources): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = sources.requests.map(({ entry }) => entry);
  for await (const entry of readRecords(sources)) entries.push(entry);
  for (const document of sources.documents.values()) entries.push(toSnapshotEntry(document));
  return entries;
}

async function* readRecords({ messaging, serde }: HistorySources): AsyncGenerator<HistoryEntry> {
  const ends = await messaging.ends(recordedPartitions);
  for (const [index, partition] of recordedPartitions.entries()) {
    const end = ends[index];
    if (end === undefined || end.logEnd === 0n) continue;
    for await (const record of requireCovered(messaging.read(partition, 0n, end.logEnd), partition, 0n, end.logEnd)) {
      if (record.value !== null && serde.knows?.(record.value) === false) await serde.learn(record.value);
      yield toRecordEntry(record, serde);
    }
  }
}
