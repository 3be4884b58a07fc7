// The gate reporter appends this partition's answers to declarations of credits final. When the partition has applied a
// declaration's marker it has seen every credit accepted before it, however slow the partition is. It names the banks
// with an unresolved credit (PartitionCredits), and reports for each when its last one has ended (PartitionBankClear).
// The day opens a bank's gate by these answers and by nothing else (I8).
//
// #1 What counts is read from the store after the marker: everything before it is written by then
//    (`declaration-credits.ts`). A credit that ends during the reading is not counted.
// #2 Each applied declaration that is not open yet gets one PartitionCredits, and one again under every new owner: a
//    second one changes nothing.
// #3 What an earlier owner named is not known here. So a bank is also reported clear if the gate has excepted it and no
//    credit of it is awaited, and if it is the bank that the declaration is for. A clear bank stays clear, so no such
//    report is ever wrong. For the same reason a new owner reports `unknownBank` clear if no credit is unread.
//
// Bounds: the open declarations among the partition's markers, each with the credits that `declaration-credits.ts`
// keeps; and the credits that change during a reading.

import { dayKey, type Transaction, unknownBank } from "@sluice/domain";
import type { Logger, Time } from "@sluice/kernel";
import type { OpenRow, TransactionStore, UnreadRow } from "@sluice/store";
import type { AppendFacts, FactToAppend } from "./append-facts.ts";
import type { AppliedMarkers } from "../partition/applied-markers.ts";
import { type OpenDeclaration, openDeclarations } from "../partition/read-day-markers.ts";
import type { SchedulerMetrics } from "../scheduler-metrics.ts";
import { failedRunPauseMs, startBackgroundTask } from "./background-task.ts";
import {
  createDeclarationCredits,
  type DeclarationCreditRow,
  type DeclarationCredits,
  readDeclarationCreditRow,
  toDeclarationCreditRow,
} from "./declaration-credits.ts";

export interface GateReporterOptions {
  readonly partition: number;
  readonly markers: AppliedMarkers;
  readonly store: Pick<TransactionStore, "open">;
  readonly append: AppendFacts;
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: SchedulerMetrics;
  /** Open transactions that are read at once. */
  readonly pageRowsMax: number;
  /** Credits of a bank that are kept for a declaration; 2,000 by default. */
  readonly uetrsKeptMax?: number;
}

export interface GateReporter {
  /** Takes note of a transaction after a record changed it. */
  observe(transaction: Transaction): void;
  /** Wakes the task; called also when the partition has applied a marker. */
  wake(): void;
  stop(): void;
}

/** What this owner knows of an open declaration, and has reported. */
interface TrackedDeclaration {
  open: OpenDeclaration;
  /** Null until the credits are read. */
  waiting: DeclarationCredits | null;
  isAnswered: boolean;
  /** Banks named or excepted, and not yet reported clear. */
  readonly toClear: Set<string>;
  readonly reportedClear: Set<string>;
}

/** Credits that may change during one reading; with more it is repeated. */
const changesDuringReadMax = 10_000;

export function startGateReporter(options: GateReporterOptions): GateReporter {
  const { partition, append, time, logger, pageRowsMax } = options;
  const known = new Map<string, TrackedDeclaration>();
  /** Declarations from before this owner: an earlier one may have named `unknownBank` in its answer (#3). */
  const inherited = new Set(listOpenDeclarations(options.markers).map(({ declaration }) => declaration.id));
  let reading: Map<string, DeclarationCreditRow> | null = null;
  const task = startBackgroundTask({ name: "gate-reporter", partition, time, logger, run });

  async function run(): Promise<number | null> {
    trackDeclarations(options.markers, known);
    for (const [id, { toClear }] of known) if (inherited.has(id)) toClear.add(unknownBank);
    if ([...known.values()].some(needsRead) && !(await read())) return failedRunPauseMs;
    setGauge(options, known);
    const answers = [...known.values()].map((one) => ({ one, facts: buildFacts(partition, one) }));
    const facts = answers.flatMap((answer) => answer.facts);
    if (facts.length === 0) return null;
    if (!(await append(facts))) return failedRunPauseMs;
    for (const answer of answers) markReported(answer.one, answer.facts, options);
    // A bank whose last credit ended while the answer was sent was not known as named before.
    return [...known.values()].some((one) => banksToClear(one).length > 0) ? 0 : null;
  }

  /** Reads the open credits. Returns false if too many changed meanwhile to know which ones count. */
  async function read(): Promise<boolean> {
    const changes = new Map<string, DeclarationCreditRow>();
    reading = changes;
    const found = [...known.values()].map((one) => ({ one, waiting: createDeclarationCredits(one.open, options.uetrsKeptMax) }));
    try {
      let after: string | null = null;
      do {
        const rows: readonly (OpenRow | UnreadRow)[] = await options.store.open(partition, after, pageRowsMax);
        const credits = rows.flatMap((row) => readDeclarationCreditRow(row) ?? []);
        for (const row of credits) for (const { waiting } of found) waiting.add(row);
        after = rows.length === pageRowsMax ? (rows.at(-1)?.uetr ?? null) : null;
      } while (after !== null);
    } finally {
      reading = null;
    }
    if (changes.size > changesDuringReadMax) return false;
    for (const { one, waiting } of found) {
      for (const row of changes.values()) waiting.observe(row);
      one.waiting = waiting;
    }
    return true;
  }

  return {
    observe(transaction) {
      if (known.size === 0) return;
      const row = toDeclarationCreditRow(transaction);
      if (row === null) return;
      if (reading !== null && reading.size <= changesDuringReadMax) reading.set(row.uetr, row);
      const changed = [...known.values()].filter(({ waiting }) => waiting?.observe(row) === true);
      if (changed.some((one) => needsRead(one) || banksToClear(one).length > 0)) task.wake();
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}

function listOpenDeclarations(markers: AppliedMarkers): readonly OpenDeclaration[] {
  return markers.days().flatMap((day) => openDeclarations(markers.markersOf(day)));
}

/** Adds and removes declarations as the partition's markers say. */
function trackDeclarations(markers: AppliedMarkers, known: Map<string, TrackedDeclaration>): void {
  const open = new Map(listOpenDeclarations(markers).map((one) => [one.declaration.id, one]));
  for (const id of known.keys()) if (!open.has(id)) known.delete(id);
  for (const [id, one] of open) {
    const before = known.get(id) ?? { open: one, waiting: null, isAnswered: false, toClear: new Set(), reportedClear: new Set() };
    before.open = one;
    known.set(id, before);
    for (const bank of one.excepted ?? []) before.toClear.add(bank);
    if (one.declaration.bank !== null) before.toClear.add(one.declaration.bank);
  }
}

function needsRead({ waiting }: TrackedDeclaration): boolean {
  return waiting === null || waiting.needsReload();
}

/** Banks to be reported clear now. */
function banksToClear({ waiting, toClear, reportedClear }: TrackedDeclaration): readonly string[] {
  if (waiting === null) return [];
  const banks = waiting.countByBank();
  return [...toClear].filter((bank) => !banks.has(bank) && !reportedClear.has(bank)).toSorted();
}

function buildFacts(partition: number, one: TrackedDeclaration): readonly FactToAppend[] {
  const { scheme, businessDate, id: declaration } = one.open.declaration;
  const key = dayKey(scheme, businessDate);
  const base = { scheme, businessDate, partition, declaration };
  const facts: FactToAppend[] = [];
  const banksUnresolved = [...(one.waiting?.countByBank().keys() ?? [])];
  if (!one.isAnswered) facts.push({ key, fact: { kind: "PartitionCredits", ...base, banksUnresolved } });
  for (const bank of banksToClear(one)) facts.push({ key, fact: { kind: "PartitionBankClear", ...base, bank } });
  return facts;
}

function markReported(one: TrackedDeclaration, facts: readonly FactToAppend[], { partition, logger }: GateReporterOptions): void {
  const { id: declaration } = one.open.declaration;
  for (const { fact } of facts) {
    if (fact.kind === "PartitionCredits") {
      one.isAnswered = true;
      for (const bank of fact.banksUnresolved) one.toClear.add(bank);
      logger.debug("gate.answered", { partition, declaration, banksUnresolved: fact.banksUnresolved });
    }
    if (fact.kind === "PartitionBankClear") {
      one.reportedClear.add(fact.bank);
      logger.debug("gate.bank-cleared", { partition, declaration, bank: fact.bank });
    }
  }
}

function setGauge({ partition, metrics }: GateReporterOptions, known: ReadonlyMap<string, TrackedDeclaration>): void {
  const waiting = new Map<string, number>();
  for (const { waiting: credits } of known.values()) {
    for (const [bank, count] of credits?.countByBank() ?? []) waiting.set(bank, Math.max(count, waiting.get(bank) ?? 0));
  }
  metrics.setGateCredits(partition, waiting);
}
