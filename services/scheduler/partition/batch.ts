// Runs one batch of a partition, up to a marker: load, decide, commit, produce. The worker reports it.
//
// #1 One bulk read, one bulk compare-and-set write, one produce. Several facts of one key are folded into one write.
// #2 Outputs are produced only after the states that they follow from are written, in the order of the journal.
// #3 A lost write is read and decided again, a bounded number of times. A write or a produce in doubt ends the batch
//    with a retryable Fault: the worker repeats the whole batch, and records that were already applied replay their
//    first outputs.
// #4 The cache drops every snapshot that is not known to be written.
// #5 Each read of the store reads the witness too (`store-witness.ts`): nothing is decided on what a store has that was
//    restored to an older point. Before a lease has written anything, the partition's document is the witness.
// #6 A document that newer rules decided is left as it is: the partition waits for a process that has these rules.

import { type Serde, topics } from "@sluice/contracts";
import { bankKey, type BankState, type Day, type DayKey, type PartitionView } from "@sluice/domain";
import type { BrokerClock, Producer } from "@sluice/messaging";
import { Fault } from "@sluice/kernel";
import type { BankStore, DayStore, TransactionDocument, TransactionStore } from "@sluice/store";
import type { JournalRecord, HandlerContext, HandledRecord, UnitOfWork } from "../handlers/handler.ts";
import type { WaitingRecords } from "./analysts/waiting-records.ts";
import { buildDayRecord } from "./analysts/day-record.ts";
import { buildItemRecords } from "./analysts/item-records.ts";
import { deadLetterRecord, readRecordUetr } from "../handlers/dead-letter-record.ts";
import type { UnreadableRecord } from "./read-journal.ts";
import type { SnapshotCache } from "./snapshot-cache.ts";
import type { StoreWitness } from "./stored/store-witness.ts";
import { buildSnapshot } from "./analysts/snapshot-record.ts";

export interface BatchPorts extends HandlerContext {
  readonly markers: PartitionView;
  readonly transactions: Pick<TransactionStore, "load" | "write">;
  readonly days: Pick<DayStore, "load" | "write">;
  readonly banks: Pick<BankStore, "load" | "write">;
  /** Of a batch that is repeated, it sends only what is not acknowledged yet. */
  readonly producer: Pick<Producer, "send">;
  readonly brokerClock: Pick<BrokerClock, "nowMs" | "observe">;
  readonly cache: SnapshotCache;
  readonly witness: StoreWitness;
  /** Takes what only analysts read, once the outputs are acknowledged. */
  readonly analysts: Pick<WaitingRecords, "add">;
  /** Called after a lost write; rejects if the partition has another owner. */
  onLostWrite(): Promise<void>;
  /** Rejects if the partition's document is not what this lease knows. */
  requireLease(): Promise<void>;
  /** Called when the store no longer has what this lease wrote; throws. */
  onStoreGoneBack(): never;
}

export type BatchRecord = JournalRecord | UnreadableRecord;

export interface BatchResult {
  readonly handled: readonly HandledRecord[];
  /** Number of documents written. */
  readonly documentsWritten: number;
}

const noBytes = new Uint8Array();
const lostWritesMax = 5;
const bulkMax = 1_000;
const sendRecordsMax = 5_000;

export async function runBatch(records: readonly BatchRecord[], ports: BatchPorts): Promise<BatchResult> {
  for (let attempt = 0; attempt < lostWritesMax; attempt += 1) {
    const loaded = await load(records, ports);
    const { documents, days, banks } = loaded;
    const working: UnitOfWork = { markers: ports.markers, documents: new Map(documents), days: new Map(days), banks: new Map(banks) };
    const handled = records.map((read) => handle(read, working, ports));
    const written = await commit(loaded, working, ports);
    if (written !== null) {
      await produce(handled, working, ports);
      return { handled, documentsWritten: written };
    }
    await ports.onLostWrite();
  }
  throw new Fault("scheduler.write-lost", `lost ${lostWritesMax} writes in a row`, { isRetryable: true });
}

interface Loaded {
  readonly documents: ReadonlyMap<string, TransactionDocument | null>;
  readonly days: ReadonlyMap<DayKey, Day | null>;
  readonly banks: ReadonlyMap<string, BankState | null>;
}

async function load(records: readonly BatchRecord[], ports: BatchPorts): Promise<Loaded> {
  const { transactions, days, banks, cache, partitionCount, rulesVersion, witness } = ports;
  const uetrs = [...new Set(records.flatMap((read) => readRecordUetr(read, partitionCount) ?? []))];
  // Looked up before the read: the cache is shared, and while the store answers another partition may evict these
  // entries.
  const cached = new Map(uetrs.map((uetr) => [uetr, cache.get(uetr)] as const));
  const missing = uetrs.filter((uetr) => cached.get(uetr) === undefined);
  const dayKeys = listKeys(records, "day");
  const bankKeys = listKeys(records, "bank");
  const isRead = missing.length + dayKeys.length + bankKeys.length > 0;
  const readDays = await readInBulks(dayKeys, (bulk) => days.load(bulk));
  const readBanks = await readInBulks(bankKeys, async (bulk) => byKey(await banks.load(bulk.map((key) => key.slice(bankKey("").length)))));
  // #5: read last, so that the witness speaks for all of it.
  const expected = witness.expected();
  const wanted = isRead ? [...new Set([...missing, ...expected.uetrs])] : [];
  const read = await readInBulks(wanted, (bulk) => transactions.load(bulk));
  if (isRead && expected.isMissing(read)) ports.onStoreGoneBack();
  if (isRead && expected.uetrs.length === 0) await ports.requireLease();
  const documents = new Map(uetrs.map((uetr) => [uetr, cached.get(uetr) ?? read.get(uetr) ?? null] as const));
  requireKnownRules(documents.values(), rulesVersion);
  await learnKept(documents.values(), ports.serde);
  return {
    documents,
    days: new Map(dayKeys.map((key) => [key, readDays.get(key) ?? null])),
    banks: new Map(bankKeys.map((key) => [key, readBanks.get(key) ?? null])),
  };
}

/** Outputs are made of the messages that a document keeps: their schemas and keys must be at hand by then. */
async function learnKept(documents: Iterable<TransactionDocument | null>, serde: Serde): Promise<void> {
  if (serde.knows === undefined) return;
  const kept = [...documents].flatMap((document) => (document === null ? [] : [document.acceptedMessage, document.finalReport ?? noBytes]));
  const unknown = kept.filter((bytes) => bytes.length > 0 && serde.knows?.(bytes) === false);
  await Promise.all(unknown.map((bytes) => serde.learn(bytes)));
}

/** #6 */
function requireKnownRules(documents: Iterable<TransactionDocument | null>, known: number): void {
  const newest = [...documents].reduce((most, document) => Math.max(most, document?.rules.newest ?? 0), 0);
  if (newest <= known) return;
  const reason = `a transaction was decided by version ${newest} of the rules, and this process has version ${known}`;
  throw new Fault("scheduler.newer-rules", reason, { isRetryable: true });
}

function byKey(states: ReadonlyMap<string, BankState>): ReadonlyMap<string, BankState> {
  return new Map([...states.values()].map((state) => [bankKey(state.bank), state]));
}

function listKeys(records: readonly BatchRecord[], aggregate: "day" | "bank"): readonly string[] {
  return [...new Set(records.flatMap((read) => ("handler" in read && read.handler.aggregate === aggregate ? [read.key] : [])))];
}

async function readInBulks<T>(keys: readonly string[], read: (bulk: readonly string[]) => Promise<ReadonlyMap<string, T>>) {
  const found = new Map<string, T>();
  for (let start = 0; start < keys.length; start += bulkMax) {
    for (const [key, value] of await read(keys.slice(start, start + bulkMax))) found.set(key, value);
  }
  return found;
}

function handle(read: BatchRecord, working: UnitOfWork, ports: BatchPorts): HandledRecord {
  if ("unreadable" in read) return deadLetterRecord(read, read.unreadable, working, ports);
  try {
    return read.handler.handle(read, working, ports);
  } catch (error) {
    // A newer version of this service would understand the record: wait for it, never guess.
    if (error instanceof Fault && error.isRetryable) throw error;
    return deadLetterRecord(read, error instanceof Error ? error.message : String(error), working, ports);
  }
}

/**
 * Writes what changed. Returns the number of documents, or null if another writer was faster with at least one of them.
 */
async function commit(loaded: Loaded, working: UnitOfWork, ports: BatchPorts): Promise<number | null> {
  const { transactions, days, banks, cache } = ports;
  const changed = [...working.documents]
    .flatMap(([uetr, document]) => (document === null || document === loaded.documents.get(uetr) ? [] : [document]))
    .toSorted((a, b) => (a.transaction.uetr < b.transaction.uetr ? -1 : 1));
  cache.drop(changed.map(({ transaction }) => transaction.uetr));
  let isLost = false;
  for (let start = 0; start < changed.length; start += bulkMax) {
    const writes = changed.slice(start, start + bulkMax).map((document) => {
      const before = loaded.documents.get(document.transaction.uetr) ?? null;
      return { document, expectedVersion: before?.transaction.version ?? 0, before };
    });
    const { conflicts } = await transactions.write(writes);
    isLost ||= conflicts.length > 0;
  }
  const changedDays = [...working.days].flatMap(([key, day]) => (day === null || day === loaded.days.get(key) ? [] : [day]));
  for (const day of changedDays) isLost = !(await days.write(day, loaded.days.get(day.key)?.version ?? 0)) || isLost;
  const changedBanks = [...working.banks].flatMap(([key, one]) => (one === null || one === loaded.banks.get(key) ? [] : [{ key, one }]));
  for (const { key, one } of changedBanks) isLost = !(await banks.write(one, loaded.banks.get(key)?.version ?? 0)) || isLost;
  if (isLost) return null;
  const newest = changed.at(-1)?.transaction;
  if (newest !== undefined) ports.witness.wrote({ kind: "transaction", id: newest.uetr, version: newest.version });
  for (const { key, version } of changedDays) ports.witness.wrote({ kind: "day", id: key, version });
  for (const { one } of changedBanks) ports.witness.wrote({ kind: "bank", id: one.bank, version: one.version });
  for (const document of working.documents.values()) if (document !== null) cache.set(document);
  return changed.length + changedDays.length + changedBanks.length;
}

/** Produces the outputs; then what the batch touched waits for the next position: snapshots, items and days. */
async function produce(handled: readonly HandledRecord[], { documents, days }: UnitOfWork, ports: BatchPorts): Promise<void> {
  const { producer, brokerClock } = ports;
  const rendered = handled.flatMap((one) => one.outgoing);
  const outputs = rendered.filter(({ topic }) => topic !== topics.stateEvents);
  for (let start = 0; start < outputs.length; start += sendRecordsMax) {
    const appended = await producer.send(outputs.slice(start, start + sendRecordsMax));
    for (const { appendedAtMs } of appended) brokerClock.observe(appendedAtMs);
  }
  const touched = [...documents.values()].flatMap((document) => document ?? []);
  const partition = handled[0]?.record.partition ?? 0;
  const forAnalysts = [
    ...rendered.filter(({ topic }) => topic === topics.stateEvents),
    ...touched.flatMap(({ transaction }) => buildItemRecords(transaction, ports)),
    ...[...days.values()].flatMap((day) => (day === null ? [] : [buildDayRecord(day, partition, ports)])),
  ];
  ports.analysts.add(forAnalysts, touched.map(buildSnapshot));
}
