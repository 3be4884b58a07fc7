// A lane as the store has it against the same lane folded anew.
//
// 1. Nothing stands still: what the store has is read once, and compared with the fold at the very record that it had reached. What is behind the
//    fold is a difference; what is ahead of it waits until a copy of the fold has come that far.
// 2. Of a transaction every field is compared, and the messages byte by byte. A difference names fields, never a value.

import { isDeepStrictEqual } from "node:util";
import { partitionOf } from "@sluice/contracts";
import { bankKey, differencesOf } from "@sluice/domain";
import type { DayLedger } from "@sluice/domain";
import type { ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/runtime";
import type { LaneLedger, Store, TransactionDocument } from "@sluice/store";
import type { FoldTarget, LaneFold } from "./lane-fold.ts";

export interface Difference {
  readonly kind: "transaction" | "day" | "bank" | "ledger" | "markers";
  readonly key: string;
  readonly what: string;
}

export interface ComparedLane {
  readonly compared: number;
  readonly differences: readonly Difference[];
}

export interface CompareOptions {
  readonly store: Pick<Store, "builds" | "days" | "banks" | "ledgers" | "lanes">;
  readonly service: string;
  readonly lane: number;
  readonly lanes: number;
  readonly fold: LaneFold;
  /** Builds: in use, and folded. */
  readonly from: number;
  readonly to: number;
  /** Transactions to look at; null: all. */
  readonly uetrs: readonly string[] | null;
  readonly read: (from: bigint, to: bigint) => AsyncIterable<ReceivedRecord>;
}

/** Something that the store had further than the fold: asked after each record whether the copy has come that far. */
interface Waiting {
  readonly kind: Difference["kind"];
  readonly key: string;
  /** Offset by which it must have come. */
  readonly until: bigint;
  /** null: not yet; otherwise what differs, which may be nothing. */
  compare(fold: LaneFold, documents: ReadonlyMap<string, TransactionDocument>): readonly string[] | null;
}

const pageMax = 1_000;
/** Documents that may be ahead at once: they are kept in memory. */
const waitingMax = 20_000;

export async function compareLane(options: CompareOptions): Promise<ComparedLane> {
  const differences: Difference[] = [];
  const waiting: Waiting[] = [];
  const found = (kind: Difference["kind"], key: string, texts: readonly string[]): void => {
    for (const what of texts) differences.push({ kind, key, what });
  };
  const compared = await compareDocuments(options, found, waiting);
  await compareDays(options, found, waiting);
  await compareLedgers(options, found, waiting);
  await compareMarkers(options, found, waiting);
  await catchUp(options, found, waiting);
  return { compared, differences };
}

type Found = (kind: Difference["kind"], key: string, texts: readonly string[]) => void;

async function compareDocuments(options: CompareOptions, found: Found, waiting: Waiting[]): Promise<number> {
  const { fold, uetrs } = options;
  let compared = 0;
  let known = 0;
  for await (const stored of storedPages(options)) {
    const rebuilt = await options.store.builds.transactions(options.to).load(stored.map(({ transaction }) => transaction.uetr));
    for (const document of stored) {
      const { uetr, version, applied } = document.transaction;
      const other = rebuilt.get(uetr);
      if (other !== undefined) known += 1;
      compared += 1;
      if (other?.transaction.version === version) found("transaction", uetr, fieldsThatDiffer(document, other));
      else if (applied >= fold.nextOffset) wait(waiting, documentWaiting(document));
      else
        found("transaction", uetr, [
          other === undefined ? "is not in the journal" : `${version} records, ${other.transaction.version} by the journal`,
        ]);
    }
  }
  if (uetrs === null && known !== fold.documents) await findLost(options, found);
  return compared;
}

async function* storedPages({ store, lane, from, uetrs }: CompareOptions): AsyncGenerator<readonly TransactionDocument[]> {
  if (uetrs !== null) {
    for (let start = 0; start < uetrs.length; start += pageMax) {
      yield [...(await store.builds.transactions(from).load(uetrs.slice(start, start + pageMax))).values()];
    }
    return;
  }
  let after: string | null = null;
  do {
    const page: readonly TransactionDocument[] = await store.builds.documents(lane, from, after, pageMax);
    yield page;
    after = page.length === pageMax ? (page.at(-1)?.transaction.uetr ?? null) : null;
  } while (after !== null);
}

/** What the journal has and the store does not. */
async function findLost({ store, lane, from, to }: CompareOptions, found: Found): Promise<void> {
  let after: string | null = null;
  do {
    const page: readonly TransactionDocument[] = await store.builds.documents(lane, to, after, pageMax);
    const stored = await store.builds.transactions(from).load(page.map(({ transaction }) => transaction.uetr));
    for (const { transaction } of page) if (!stored.has(transaction.uetr)) found("transaction", transaction.uetr, ["is not in the store"]);
    after = page.length === pageMax ? (page.at(-1)?.transaction.uetr ?? null) : null;
  } while (after !== null);
}

export function fieldsThatDiffer(a: TransactionDocument, b: TransactionDocument): readonly string[] {
  const outer = (["acceptedMessage", "finalReport", "verdict", "search"] as const).filter(
    (field) => !isDeepStrictEqual(a[field], b[field]),
  );
  const inner = namesThatDiffer(a.transaction, b.transaction);
  return [...inner, ...outer].length === 0 ? [] : [`differs in ${[...inner, ...outer].join(", ")}`];
}

function namesThatDiffer(a: object, b: object): readonly string[] {
  const [left, right] = [new Map<string, unknown>(Object.entries(a)), new Map<string, unknown>(Object.entries(b))];
  return [...new Set([...left.keys(), ...right.keys()])].filter((name) => !isDeepStrictEqual(left.get(name), right.get(name)));
}

function documentWaiting(document: TransactionDocument): Waiting {
  const { uetr, version, applied } = document.transaction;
  return {
    kind: "transaction",
    key: uetr,
    until: applied + 1n,
    compare(_, documents) {
      const other = documents.get(uetr);
      return other?.transaction.version === version ? fieldsThatDiffer(document, other) : null;
    },
  };
}

interface Aggregate {
  readonly version: number;
  readonly applied: bigint;
}

async function compareDays({ store, lane, lanes, fold }: CompareOptions, found: Found, waiting: Waiting[]): Promise<void> {
  const ofLane = (key: string): boolean => partitionOf(new TextEncoder().encode(key), lanes) === lane;
  const open = (await store.days.open()).filter((day) => ofLane(day.key));
  const keys = [...new Set([...fold.days.keys(), ...open.map(({ key }) => key)])];
  for (let start = 0; start < keys.length; start += pageMax) {
    const some = keys.slice(start, start + pageMax);
    const stored = await store.days.load(some);
    for (const key of some) compareAggregate("day", key, stored.get(key), (at) => at.days.get(key), { fold, found, waiting });
  }
  const banks = (await store.banks.all()).filter(({ bank }) => ofLane(bankKey(bank)));
  const byId = new Map(banks.map((standing) => [standing.bank, standing]));
  for (const bank of new Set([...fold.banks.keys(), ...byId.keys()])) {
    compareAggregate("bank", bank, byId.get(bank), (at) => at.banks.get(bank), { fold, found, waiting });
  }
}

function compareAggregate<T extends Aggregate>(
  kind: "day" | "bank",
  key: string,
  stored: T | undefined,
  rebuiltIn: (fold: LaneFold) => T | undefined,
  { fold, found, waiting }: { readonly fold: LaneFold; readonly found: Found; readonly waiting: Waiting[] },
): void {
  const rebuilt = rebuiltIn(fold);
  const names = (other: T | undefined): readonly string[] => {
    const differing = stored === undefined || other === undefined ? ["all of it"] : namesThatDiffer(stored, other);
    return differing.length === 0 ? [] : [`differs in ${differing.join(", ")}`];
  };
  if (stored === undefined) found(kind, key, ["is not in the store"]);
  else if (rebuilt?.version === stored.version) found(kind, key, names(rebuilt));
  else if (stored.applied < fold.nextOffset) found(kind, key, names(rebuilt));
  else {
    wait(waiting, {
      kind,
      key,
      until: stored.applied + 1n,
      compare: (at) => (rebuiltIn(at)?.version === stored.version ? names(rebuiltIn(at)) : null),
    });
  }
}

async function compareLedgers({ store, lane, fold }: CompareOptions, found: Found, waiting: Waiting[]): Promise<void> {
  const stored = new Map((await store.ledgers.ofLane(lane)).map((ledger) => [ledger.day, ledger]));
  for (const day of new Set([...fold.ledgers.keys(), ...stored.keys()])) {
    const ledger = stored.get(day);
    if (ledger === undefined || ledger.through <= fold.nextOffset) found("ledger", day, rowsThatDiffer(ledger, fold.ledgers.get(day)));
    else {
      wait(waiting, {
        kind: "ledger",
        key: day,
        until: ledger.through,
        compare: (at) => (at.nextOffset >= ledger.through ? rowsThatDiffer(ledger, at.ledgers.get(day)) : null),
      });
    }
  }
}

function rowsThatDiffer(stored: LaneLedger | undefined, rebuilt: DayLedger | undefined): readonly string[] {
  return differencesOf(stored?.rows ?? [], rebuilt?.rows() ?? []);
}

async function compareMarkers({ store, service, lane, fold }: CompareOptions, found: Found, waiting: Waiting[]): Promise<void> {
  const stored = (await store.lanes.list(service)).find(({ partition }) => partition === lane);
  if (stored === undefined) return;
  const differing = (at: LaneFold): readonly string[] =>
    isDeepStrictEqual(stored.state ?? null, plain(at)) || (stored.state === null && isNothingPassed(at)) ? [] : ["differ"];
  if (stored.position === fold.nextOffset) found("markers", `${lane}`, differing(fold));
  else if (stored.position > fold.nextOffset) {
    wait(waiting, {
      kind: "markers",
      key: `${lane}`,
      until: stored.position,
      compare: (at) => (at.nextOffset >= stored.position ? differing(at) : null),
    });
  }
}

/** As it comes back from the lane's document. */
function plain(fold: LaneFold): unknown {
  return JSON.parse(JSON.stringify(fold.markers.toState()));
}

function isNothingPassed({ markers }: LaneFold): boolean {
  const { ofDays, ofBanks } = markers.all();
  return ofDays.length + ofBanks.length === 0;
}

function wait(waiting: Waiting[], one: Waiting): void {
  waiting.push(one);
  if (waiting.length <= waitingMax) return;
  throw new Fault("rebuild.too-busy", `more than ${waitingMax} documents changed while they were compared`, { isRetryable: false });
}

/** A copy of the fold goes on, record by record, until everything that waits was met. */
async function catchUp({ fold, store, to, read }: CompareOptions, found: Found, waiting: readonly Waiting[]): Promise<void> {
  if (waiting.length === 0) return;
  const documents = new Map<string, TransactionDocument>();
  const copy = fold.over(inMemory(documents, store.builds.transactions(to)));
  const until = waiting.reduce((most, { until: own }) => (own > most ? own : most), 0n);
  let left = meet(waiting, copy, documents, found);
  for await (const record of read(copy.nextOffset, until)) {
    await copy.take([record]);
    left = meet(left, copy, documents, found);
  }
  for (const { kind, key } of left) found(kind, key, ["is not what the journal makes of it"]);
}

function meet(
  waiting: readonly Waiting[],
  copy: LaneFold,
  documents: ReadonlyMap<string, TransactionDocument>,
  found: Found,
): readonly Waiting[] {
  return waiting.filter((one) => {
    const texts = one.compare(copy, documents);
    if (texts !== null) found(one.kind, one.key, texts);
    return texts === null;
  });
}

function inMemory(documents: Map<string, TransactionDocument>, below: FoldTarget): FoldTarget {
  return {
    async load(uetrs) {
      const loaded = await below.load(uetrs.filter((uetr) => !documents.has(uetr)));
      return new Map(uetrs.flatMap((uetr) => one(uetr, documents.get(uetr) ?? loaded.get(uetr))));
    },
    write(writes) {
      for (const { document } of writes) documents.set(document.transaction.uetr, document);
      return Promise.resolve({ conflicts: [] });
    },
  };
}

function one(uetr: string, document: TransactionDocument | undefined): readonly (readonly [string, TransactionDocument])[] {
  return document === undefined ? [] : [[uetr, document]];
}
