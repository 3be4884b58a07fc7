// Crediting: this lane's answers to declarations of credits final. When the lane has passed a declaration's marker it has seen every credit
// accepted before it, however slow it is; it names the banks with one unresolved (LaneCredits), and says of each when its last one has ended
// (LaneBankClear). The day opens a bank's gate by that and by nothing else (I8).
//
// 1. What counts is read from the store after the marker: everything before it is written by then (`waiting-credits.ts`). What ends during the
//    reading is not counted.
// 2. One LaneCredits for each declaration passed and not yet open, and one again under every new owner: a second one changes nothing.
// 3. What an earlier owner named is not known here. So a bank is also called clear where the gate has excepted it and nothing of it is
//    waited for, and where it is the one that the declaration is for. A bank that is clear stays clear, so no such word is ever wrong.
//
// Bounds: declarations that are open in the lane's markers, each with the credits that `waiting-credits.ts` keeps; and what ends during a reading.

import { dayKey } from "@sluice/domain";
import type { Transaction } from "@sluice/domain";
import type { Time } from "@sluice/runtime";
import type { OpenRow, TransactionStore } from "@sluice/store";
import type { Log } from "@sluice/telemetry";
import type { AppendFacts, FactToAppend } from "./appending.ts";
import type { LaneMarkers } from "./lane-markers.ts";
import { openDeclarations } from "./passed-day.ts";
import type { OpenDeclaration } from "./passed-day.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";
import { failedTurnPauseMs, startStandingTask } from "./standing-task.ts";
import { createWaitingCredits, creditRowOf } from "./waiting-credits.ts";
import type { CreditRow, WaitingCredits } from "./waiting-credits.ts";

export interface CreditingOptions {
  readonly lane: number;
  readonly markers: LaneMarkers;
  readonly store: Pick<TransactionStore, "open">;
  readonly append: AppendFacts;
  readonly time: Time;
  readonly log: Log;
  readonly metrics: SchedulerMetrics;
  /** Credits of a bank that are kept for a declaration; 2,000 where none are given. */
  readonly uetrsKeptMax?: number;
}

export interface Crediting {
  /** A transaction as a record left it. */
  saw(transaction: Transaction): void;
  /** Also when the lane has passed a marker. */
  wake(): void;
  stop(): void;
}

/** What this owner knows of an open declaration, and has said. */
interface Known {
  open: OpenDeclaration;
  /** Null: to be read. */
  waiting: WaitingCredits | null;
  isAnswered: boolean;
  /** Banks named or excepted, and not yet called clear. */
  readonly toClear: Set<string>;
  readonly saidClear: Set<string>;
}

const pageRowsMax = 5_000;
/** Credits that change during one reading; beyond that it is made again. */
const seenDuringReadMax = 10_000;

export function startCrediting(options: CreditingOptions): Crediting {
  const { lane, append, time, log } = options;
  const known = new Map<string, Known>();
  let reading: Map<string, CreditRow> | null = null;
  const task = startStandingTask({ name: "crediting", lane, time, log, turn });

  async function turn(): Promise<number | null> {
    follow(options.markers, known);
    if ([...known.values()].some(isToBeRead) && !(await read())) return failedTurnPauseMs;
    show(options, known);
    const answers = [...known.values()].map((one) => ({ one, facts: factsOf(lane, one) }));
    const facts = answers.flatMap((answer) => answer.facts);
    if (facts.length === 0) return null;
    if (!(await append(facts))) return failedTurnPauseMs;
    for (const answer of answers) said(answer.one, answer.facts, options);
    // What ended while the answer was on its way was not named before.
    return [...known.values()].some((one) => clearNow(one).length > 0) ? 0 : null;
  }

  /** False: too much changed meanwhile to tell what counts. */
  async function read(): Promise<boolean> {
    const seen = new Map<string, CreditRow>();
    reading = seen;
    const found = [...known.values()].map((one) => ({ one, waiting: createWaitingCredits(one.open, options.uetrsKeptMax) }));
    try {
      let after: string | null = null;
      do {
        const rows: readonly OpenRow[] = await options.store.open(lane, after, pageRowsMax);
        const credits = rows.filter(({ flow }) => flow === "credit");
        for (const row of credits) for (const { waiting } of found) waiting.add(row);
        after = rows.length === pageRowsMax ? (rows.at(-1)?.uetr ?? null) : null;
      } while (after !== null);
    } finally {
      reading = null;
    }
    if (seen.size > seenDuringReadMax) return false;
    for (const { one, waiting } of found) {
      for (const row of seen.values()) waiting.saw(row);
      one.waiting = waiting;
    }
    return true;
  }

  return {
    saw(transaction) {
      if (known.size === 0) return;
      const row = creditRowOf(transaction);
      if (row === null) return;
      if (reading !== null && reading.size <= seenDuringReadMax) reading.set(row.uetr, row);
      const changed = [...known.values()].filter(({ waiting }) => waiting?.saw(row) === true);
      if (changed.some((one) => isToBeRead(one) || clearNow(one).length > 0)) task.wake();
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}

/** Declarations come and go with the lane's markers. */
function follow(markers: LaneMarkers, known: Map<string, Known>): void {
  const open = new Map(
    markers.days().flatMap((day) => openDeclarations(markers.passed(day)).map((one) => [one.declaration.id, one] as const)),
  );
  for (const id of known.keys()) if (!open.has(id)) known.delete(id);
  for (const [id, one] of open) {
    const before = known.get(id) ?? { open: one, waiting: null, isAnswered: false, toClear: new Set(), saidClear: new Set() };
    before.open = one;
    known.set(id, before);
    for (const bank of one.excepted ?? []) before.toClear.add(bank);
    if (one.declaration.bank !== null) before.toClear.add(one.declaration.bank);
  }
}

function isToBeRead({ waiting }: Known): boolean {
  return waiting === null || waiting.isToBeRead();
}

/** Banks to be called clear now. */
function clearNow({ waiting, toClear, saidClear }: Known): readonly string[] {
  if (waiting === null) return [];
  const banks = waiting.banks();
  return [...toClear].filter((bank) => !banks.has(bank) && !saidClear.has(bank)).toSorted();
}

function factsOf(lane: number, one: Known): readonly FactToAppend[] {
  const { scheme, businessDate, id: declaration } = one.open.declaration;
  const key = dayKey(scheme, businessDate);
  const base = { scheme, businessDate, lane, declaration };
  const facts: FactToAppend[] = [];
  const banksUnresolved = [...(one.waiting?.banks().keys() ?? [])];
  if (!one.isAnswered) facts.push({ key, fact: { kind: "LaneCredits", ...base, banksUnresolved } });
  for (const bank of clearNow(one)) facts.push({ key, fact: { kind: "LaneBankClear", ...base, bank } });
  return facts;
}

function said(one: Known, facts: readonly FactToAppend[], { lane, log }: CreditingOptions): void {
  const { id: declaration } = one.open.declaration;
  for (const { fact } of facts) {
    if (fact.kind === "LaneCredits") {
      one.isAnswered = true;
      for (const bank of fact.banksUnresolved) one.toClear.add(bank);
      log.info("gate.answered", { lane, declaration, banksUnresolved: fact.banksUnresolved });
    }
    if (fact.kind === "LaneBankClear") {
      one.saidClear.add(fact.bank);
      log.info("gate.bank-clear", { lane, declaration, bank: fact.bank });
    }
  }
}

function show({ lane, metrics }: CreditingOptions, known: ReadonlyMap<string, Known>): void {
  const waiting = new Map<string, number>();
  for (const { waiting: credits } of known.values()) {
    for (const [bank, count] of credits?.banks() ?? []) waiting.set(bank, Math.max(count, waiting.get(bank) ?? 0));
  }
  metrics.gateCredits(lane, waiting);
}
