// Compares a partition in the store with the same partition folded from the journal.
//
// #1 The system keeps running: the stored data is read once, and compared with the fold at exactly the record that it
//    had reached. Data behind the fold is a difference; data ahead of it waits until a copy of the fold has come that
//    far.
// #2 Of a transaction every field is compared, and the messages byte by byte. A difference names fields, never a value.
// #3 A document names the rules that decided its records. If they are not the rules of the fold, they explain what
//    differs; otherwise the store is wrong. Days, banks, ledgers and markers name none: what differs in them may come
//    from either where the partition has transactions that other rules decided.
// #4 The hash of an account's end cannot be made again once the key of its month was destroyed: no difference.

import { isDeepStrictEqual } from "node:util";
import { partitionFor } from "@sluice/contracts";
import { bankKey, type DayLedger, findLedgerDifferences } from "@sluice/domain";
import type { ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/kernel";
import type { PartitionLedger, SearchTerms, Store, TransactionDocument } from "@sluice/store";
import { readPartitionState } from "../partition/applied-markers.ts";
import { foldInMemory, type PartitionFold } from "./partition-fold.ts";

export interface RebuildDifference {
  readonly kind: "transaction" | "day" | "bank" | "ledger" | "markers";
  readonly key: string;
  readonly what: string;
  /** #3 */
  readonly cause: "store" | "rules" | "either";
}

export interface PartitionComparison {
  readonly documentsCompared: number;
  /** Transactions with a record that other rules decided. */
  readonly byOtherRules: number;
  readonly differences: readonly RebuildDifference[];
}

export interface ComparePartitionOptions {
  readonly store: Pick<Store, "builds" | "days" | "banks" | "ledgers" | "partitions">;
  readonly service: string;
  readonly partition: number;
  readonly partitionCount: number;
  readonly fold: PartitionFold;
  /** The version of the rules of the fold. */
  readonly rulesVersion: number;
  /** The build in use, and the folded one. */
  readonly from: number;
  readonly to: number;
  /** Transactions to compare; null means all. */
  readonly uetrs: readonly string[] | null;
  readonly read: (from: bigint, to: bigint) => AsyncIterable<ReceivedRecord>;
}

/** Stored data that is ahead of the fold: checked after each record whether the copy has come that far. */
interface PendingComparison {
  readonly kind: RebuildDifference["kind"];
  readonly key: string;
  /** Offset by which the copy must have reached it. */
  readonly until: bigint;
  /** What a difference of it comes from. */
  readonly cause: RebuildDifference["cause"];
  /** Returns null if the copy is not that far; otherwise what differs, which may be nothing. */
  compare(fold: PartitionFold, documents: ReadonlyMap<string, TransactionDocument>): readonly string[] | null;
}

const pageMax = 1_000;
/** Documents that may be ahead at once; they are kept in memory. */
const waitingMax = 20_000;

export async function comparePartition(options: ComparePartitionOptions): Promise<PartitionComparison> {
  const differences: RebuildDifference[] = [];
  const waiting: PendingComparison[] = [];
  const found: ReportDifference = (kind, key, texts, cause = "store") => {
    for (const what of texts) differences.push({ kind, key, what, cause });
  };
  const { compared, byOtherRules } = await compareDocuments(options, found, waiting);
  await compareDays(options, found, waiting);
  await compareLedgers(options, found, waiting);
  await compareMarkers(options, found, waiting);
  await catchUp(options, found, waiting);
  return { documentsCompared: compared, byOtherRules, differences };
}

/** The cause is the store where none is given. */
type ReportDifference = (
  kind: RebuildDifference["kind"],
  key: string,
  texts: readonly string[],
  cause?: RebuildDifference["cause"],
) => void;

async function compareDocuments(
  options: ComparePartitionOptions,
  found: ReportDifference,
  waiting: PendingComparison[],
): Promise<{ readonly compared: number; readonly byOtherRules: number }> {
  const { fold, uetrs, rulesVersion } = options;
  let compared = 0;
  let byOtherRules = 0;
  let known = 0;
  for await (const stored of storedPages(options)) {
    const rebuilt = await options.store.builds.transactions(options.to).load(stored.map(({ transaction }) => transaction.uetr));
    for (const document of stored) {
      const { uetr, version, applied } = document.transaction;
      const other = rebuilt.get(uetr);
      if (other !== undefined) known += 1;
      compared += 1;
      const cause = isDecidedBy(document, rulesVersion) ? "store" : "rules";
      if (cause === "rules") byOtherRules += 1;
      const counts = other === undefined ? "is not in the journal" : `${version} records, ${other.transaction.version} by the journal`;
      if (other?.transaction.version === version) found("transaction", uetr, findDifferingFields(document, other), cause);
      else if (applied >= fold.nextOffset) addPending(waiting, pendingDocument(document, cause));
      else found("transaction", uetr, [counts], cause);
    }
  }
  if (uetrs === null && known !== fold.documents) await findLost(options, found);
  return { compared, byOtherRules };
}

function isDecidedBy({ rules }: TransactionDocument, version: number): boolean {
  return rules.oldest === version && rules.newest === version;
}

async function* storedPages({ store, partition, from, uetrs }: ComparePartitionOptions): AsyncGenerator<readonly TransactionDocument[]> {
  if (uetrs !== null) {
    for (let start = 0; start < uetrs.length; start += pageMax) {
      yield [...(await store.builds.transactions(from).load(uetrs.slice(start, start + pageMax))).values()];
    }
    return;
  }
  let after: string | null = null;
  do {
    const page: readonly TransactionDocument[] = await store.builds.documents(partition, from, after, pageMax);
    yield page;
    after = page.length === pageMax ? (page.at(-1)?.transaction.uetr ?? null) : null;
  } while (after !== null);
}

/** Finds what the journal has and the store does not. */
async function findLost({ store, partition, from, to }: ComparePartitionOptions, found: ReportDifference): Promise<void> {
  let after: string | null = null;
  do {
    const page: readonly TransactionDocument[] = await store.builds.documents(partition, to, after, pageMax);
    const stored = await store.builds.transactions(from).load(page.map(({ transaction }) => transaction.uetr));
    for (const { transaction } of page) if (!stored.has(transaction.uetr)) found("transaction", transaction.uetr, ["is not in the store"]);
    after = page.length === pageMax ? (page.at(-1)?.transaction.uetr ?? null) : null;
  } while (after !== null);
}

function findDifferingFields(a: TransactionDocument, b: TransactionDocument): readonly string[] {
  const outer: string[] = (["acceptedMessage", "finalReport", "verdict"] as const).filter(
    (field) => !isDeepStrictEqual(a[field], b[field]),
  );
  if (!isDeepStrictEqual(withoutErased(a.search, b.search), withoutErased(b.search, a.search))) outer.push("search");
  const inner = findDifferingNames(a.transaction, b.transaction);
  return [...inner, ...outer].length === 0 ? [] : [`differs in ${[...inner, ...outer].join(", ")}`];
}

/** #4 */
function withoutErased(terms: SearchTerms, other: SearchTerms): SearchTerms {
  const hidden = (end: string | null, otherEnd: string | null) => (otherEnd === null && end?.startsWith("#") === true ? null : end);
  return {
    ...terms,
    debtorAccountEnd: hidden(terms.debtorAccountEnd, other.debtorAccountEnd),
    creditorAccountEnd: hidden(terms.creditorAccountEnd, other.creditorAccountEnd),
  };
}

function findDifferingNames(a: object, b: object): readonly string[] {
  const [left, right] = [new Map<string, unknown>(Object.entries(a)), new Map<string, unknown>(Object.entries(b))];
  return [...new Set([...left.keys(), ...right.keys()])].filter((name) => !isDeepStrictEqual(left.get(name), right.get(name)));
}

function pendingDocument(document: TransactionDocument, cause: RebuildDifference["cause"]): PendingComparison {
  const { uetr, version, applied } = document.transaction;
  return {
    kind: "transaction",
    key: uetr,
    cause,
    until: applied + 1n,
    compare(_, documents) {
      const other = documents.get(uetr);
      return other?.transaction.version === version ? findDifferingFields(document, other) : null;
    },
  };
}

interface Aggregate {
  readonly version: number;
  readonly applied: bigint;
}

async function compareDays(
  { store, partition, partitionCount, fold }: ComparePartitionOptions,
  found: ReportDifference,
  waiting: PendingComparison[],
): Promise<void> {
  const isInPartition = (key: string): boolean => partitionFor(new TextEncoder().encode(key), partitionCount) === partition;
  const open = (await store.days.open()).filter((day) => isInPartition(day.key));
  const keys = [...new Set([...fold.days.keys(), ...open.map(({ key }) => key)])];
  for (let start = 0; start < keys.length; start += pageMax) {
    const some = keys.slice(start, start + pageMax);
    const stored = await store.days.load(some);
    for (const key of some) compareAggregate("day", key, stored.get(key), (at) => at.days.get(key), { fold, found, waiting });
  }
  const banks = (await store.banks.all()).filter(({ bank }) => isInPartition(bankKey(bank)));
  const byId = new Map(banks.map((state) => [state.bank, state]));
  for (const bank of new Set([...fold.banks.keys(), ...byId.keys()])) {
    compareAggregate("bank", bank, byId.get(bank), (at) => at.banks.get(bank), { fold, found, waiting });
  }
}

function compareAggregate<T extends Aggregate>(
  kind: "day" | "bank",
  key: string,
  stored: T | undefined,
  rebuiltIn: (fold: PartitionFold) => T | undefined,
  { fold, found, waiting }: { readonly fold: PartitionFold; readonly found: ReportDifference; readonly waiting: PendingComparison[] },
): void {
  const rebuilt = rebuiltIn(fold);
  const names = (other: T | undefined): readonly string[] => {
    const differing = stored === undefined || other === undefined ? ["all of it"] : findDifferingNames(stored, other);
    return differing.length === 0 ? [] : [`differs in ${differing.join(", ")}`];
  };
  if (stored === undefined) found(kind, key, ["is not in the store"]);
  else if (rebuilt?.version === stored.version) found(kind, key, names(rebuilt));
  else if (stored.applied < fold.nextOffset) found(kind, key, names(rebuilt));
  else {
    addPending(waiting, {
      kind,
      key,
      cause: "store",
      until: stored.applied + 1n,
      compare: (at) => (rebuiltIn(at)?.version === stored.version ? names(rebuiltIn(at)) : null),
    });
  }
}

async function compareLedgers(
  { store, partition, fold }: ComparePartitionOptions,
  found: ReportDifference,
  waiting: PendingComparison[],
): Promise<void> {
  const stored = new Map((await store.ledgers.listByPartition(partition)).map((ledger) => [ledger.day, ledger]));
  for (const day of new Set([...fold.ledgers.keys(), ...stored.keys()])) {
    const ledger = stored.get(day);
    if (ledger === undefined || ledger.through <= fold.nextOffset) found("ledger", day, findDifferingRows(ledger, fold.ledgers.get(day)));
    else {
      addPending(waiting, {
        kind: "ledger",
        key: day,
        cause: "store",
        until: ledger.through,
        compare: (at) => (at.nextOffset >= ledger.through ? findDifferingRows(ledger, at.ledgers.get(day)) : null),
      });
    }
  }
}

function findDifferingRows(stored: PartitionLedger | undefined, rebuilt: DayLedger | undefined): readonly string[] {
  return findLedgerDifferences(stored?.rows ?? [], rebuilt?.rows() ?? []);
}

async function compareMarkers(
  { store, service, partition, fold }: ComparePartitionOptions,
  found: ReportDifference,
  waiting: PendingComparison[],
): Promise<void> {
  const stored = (await store.partitions.list(service)).find((document) => document.partition === partition);
  if (stored === undefined) return;
  const kept = readPartitionState(stored.state);
  const differing = (at: PartitionFold): readonly string[] => (isDeepStrictEqual(kept, readPartitionState(toPlain(at))) ? [] : ["differ"]);
  if (stored.position === fold.nextOffset) found("markers", `${partition}`, differing(fold));
  else if (stored.position > fold.nextOffset) {
    addPending(waiting, {
      kind: "markers",
      key: `${partition}`,
      cause: "store",
      until: stored.position,
      compare: (at) => (at.nextOffset >= stored.position ? differing(at) : null),
    });
  }
}

/** The markers as they come back from the partition's document. */
function toPlain(fold: PartitionFold): unknown {
  return JSON.parse(JSON.stringify(fold.markers.toState()));
}

function addPending(waiting: PendingComparison[], one: PendingComparison): void {
  waiting.push(one);
  if (waiting.length <= waitingMax) return;
  throw new Fault("rebuild.too-busy", `more than ${waitingMax} documents changed while they were compared`, { isRetryable: false });
}

/** Continues a copy of the fold, record by record, until every pending comparison is made. */
async function catchUp(
  { fold, store, to, read }: ComparePartitionOptions,
  found: ReportDifference,
  waiting: readonly PendingComparison[],
): Promise<void> {
  if (waiting.length === 0) return;
  const documents = new Map<string, TransactionDocument>();
  const copy = fold.copyOnto(foldInMemory(documents, store.builds.transactions(to)));
  const until = waiting.reduce((most, { until: own }) => (own > most ? own : most), 0n);
  let left = comparePending(waiting, copy, documents, found);
  for await (const record of read(copy.nextOffset, until)) {
    await copy.fold([record]);
    left = comparePending(left, copy, documents, found);
  }
  for (const { kind, key, cause } of left) found(kind, key, ["is not what the journal makes of it"], cause);
}

function comparePending(
  waiting: readonly PendingComparison[],
  copy: PartitionFold,
  documents: ReadonlyMap<string, TransactionDocument>,
  found: ReportDifference,
): readonly PendingComparison[] {
  return waiting.filter((one) => {
    const texts = one.compare(copy, documents);
    if (texts !== null) found(one.kind, one.key, texts, one.cause);
    return texts === null;
  });
}
