// One batch of a lane, up to a marker: load, decide, commit, produce. It leaves the telling to the lane.
//
// 1. One bulk read, one bulk compare-and-set write, one produce. Several facts of one key are folded into one write.
// 2. Outputs are produced only after the states they follow from are written, in the order of the journal.
// 3. A write that was lost is read and judged again, a bounded number of times; one in doubt, and a produce in doubt, end the batch with a
//    retryable Fault: the lane does the whole batch again, and what was written then replays its first outputs.
// 4. What is in memory and was not surely written is forgotten.

import { bankKey } from "@sluice/domain";
import type { BankStanding, Day, DayKey, LaneView } from "@sluice/domain";
import type { AgreedTime, OutgoingRecord, Producer } from "@sluice/messaging";
import { Fault } from "@sluice/runtime";
import type { BankStore, DayStore, TransactionDocument, TransactionStore } from "@sluice/store";
import type { JournalRecord, Surroundings, Turn, Working } from "./handler.ts";
import { putAside, uetrOfRecord } from "./put-aside.ts";
import type { Unreadable } from "./read-journal.ts";
import type { SnapshotCache } from "./snapshot-cache.ts";
import { snapshotRecord } from "./snapshot-record.ts";

export interface BatchPorts extends Surroundings {
  readonly lane: LaneView;
  readonly transactions: Pick<TransactionStore, "load" | "write">;
  readonly days: Pick<DayStore, "load" | "write">;
  readonly banks: Pick<BankStore, "load" | "write">;
  readonly producer: Producer;
  readonly agreedTime: AgreedTime;
  readonly cache: SnapshotCache;
  /** A write was lost: is the lane still ours? Rejects if not. */
  lostWrite(): Promise<void>;
}

export type BatchRecord = JournalRecord | Unreadable;

export interface BatchEnd {
  readonly turns: readonly Turn[];
  /** Documents written. */
  readonly written: number;
}

const lostWritesMax = 5;
const bulkMax = 1_000;
const sendRecordsMax = 5_000;

export async function runBatch(records: readonly BatchRecord[], ports: BatchPorts): Promise<BatchEnd> {
  for (let attempt = 0; attempt < lostWritesMax; attempt += 1) {
    const loaded = await load(records, ports);
    const { documents, days, banks } = loaded;
    const working: Working = { lane: ports.lane, documents: new Map(documents), days: new Map(days), banks: new Map(banks) };
    const turns = records.map((read) => judge(read, working, ports));
    const written = await commit(loaded, working, ports);
    if (written !== null) {
      await produce(turns, working, ports);
      return { turns, written };
    }
    await ports.lostWrite();
  }
  throw new Fault("scheduler.write-lost", `lost ${lostWritesMax} writes in a row`, { isRetryable: true });
}

interface Loaded {
  readonly documents: ReadonlyMap<string, TransactionDocument | null>;
  readonly days: ReadonlyMap<DayKey, Day | null>;
  readonly banks: ReadonlyMap<string, BankStanding | null>;
}

async function load(records: readonly BatchRecord[], { transactions, days, banks, cache, lanes }: BatchPorts): Promise<Loaded> {
  const uetrs = [...new Set(records.flatMap((read) => uetrOfRecord(read, lanes) ?? []))];
  // Taken out before the read: the cache is shared, and what is in it now may have made room for another lane's when the read is answered.
  const cached = new Map(uetrs.map((uetr) => [uetr, cache.get(uetr)] as const));
  const missing = uetrs.filter((uetr) => cached.get(uetr) === undefined);
  const read = await inBulks(missing, (bulk) => transactions.load(bulk));
  const documents = new Map(uetrs.map((uetr) => [uetr, cached.get(uetr) ?? read.get(uetr) ?? null] as const));
  const dayKeys = keysOf(records, "day");
  const readDays = await inBulks(dayKeys, (bulk) => days.load(bulk));
  const bankKeys = keysOf(records, "bank");
  const readBanks = await inBulks(bankKeys, async (bulk) => byKey(await banks.load(bulk.map((key) => key.slice(bankKey("").length)))));
  return {
    documents,
    days: new Map(dayKeys.map((key) => [key, readDays.get(key) ?? null])),
    banks: new Map(bankKeys.map((key) => [key, readBanks.get(key) ?? null])),
  };
}

function byKey(standings: ReadonlyMap<string, BankStanding>): ReadonlyMap<string, BankStanding> {
  return new Map([...standings.values()].map((standing) => [bankKey(standing.bank), standing]));
}

function keysOf(records: readonly BatchRecord[], aggregate: "day" | "bank"): readonly string[] {
  return [...new Set(records.flatMap((read) => ("handler" in read && read.handler.aggregate === aggregate ? [read.key] : [])))];
}

async function inBulks<T>(keys: readonly string[], read: (bulk: readonly string[]) => Promise<ReadonlyMap<string, T>>) {
  const found = new Map<string, T>();
  for (let start = 0; start < keys.length; start += bulkMax) {
    for (const [key, value] of await read(keys.slice(start, start + bulkMax))) found.set(key, value);
  }
  return found;
}

function judge(read: BatchRecord, working: Working, ports: BatchPorts): Turn {
  if ("unreadable" in read) return putAside(read, read.unreadable, working, ports);
  try {
    return read.handler.judge(read, working, ports);
  } catch (error) {
    // What a newer reader would understand is waited for, never guessed.
    if (error instanceof Fault && error.isRetryable) throw error;
    return putAside(read, error instanceof Error ? error.message : String(error), working, ports);
  }
}

/** Documents written; null: another writer was faster with at least one. */
async function commit(loaded: Loaded, working: Working, ports: BatchPorts): Promise<number | null> {
  const { transactions, days, banks, cache } = ports;
  const changed = [...working.documents]
    .flatMap(([uetr, document]) => (document === null || document === loaded.documents.get(uetr) ? [] : [document]))
    .toSorted((a, b) => (a.transaction.uetr < b.transaction.uetr ? -1 : 1));
  cache.drop(changed.map(({ transaction }) => transaction.uetr));
  let isLost = false;
  for (let start = 0; start < changed.length; start += bulkMax) {
    const writes = changed.slice(start, start + bulkMax).map((document) => ({
      document,
      expectedVersion: loaded.documents.get(document.transaction.uetr)?.transaction.version ?? 0,
    }));
    const { conflicts } = await transactions.write(writes);
    isLost ||= conflicts.length > 0;
  }
  const changedDays = [...working.days].flatMap(([key, day]) => (day === null || day === loaded.days.get(key) ? [] : [day]));
  for (const day of changedDays) isLost = !(await days.write(day, loaded.days.get(day.key)?.version ?? 0)) || isLost;
  const changedBanks = [...working.banks].flatMap(([key, one]) => (one === null || one === loaded.banks.get(key) ? [] : [{ key, one }]));
  for (const { key, one } of changedBanks) isLost = !(await banks.write(one, loaded.banks.get(key)?.version ?? 0)) || isLost;
  if (isLost) return null;
  for (const document of working.documents.values()) if (document !== null) cache.set(document);
  return changed.length + changedDays.length + changedBanks.length;
}

/** Outputs, and the snapshot of each transaction that the batch touched. */
async function produce(turns: readonly Turn[], { documents }: Working, ports: BatchPorts): Promise<void> {
  const { producer, agreedTime } = ports;
  const snapshots = [...documents.values()].flatMap((document) => (document === null ? [] : [snapshotRecord(document, ports)]));
  const outgoing: readonly OutgoingRecord[] = [...turns.flatMap((turn) => turn.outgoing), ...snapshots];
  for (let start = 0; start < outgoing.length; start += sendRecordsMax) {
    const appended = await producer.send(outgoing.slice(start, start + sendRecordsMax));
    for (const { appendedAtMs } of appended) agreedTime.saw(appendedAtMs);
  }
}
