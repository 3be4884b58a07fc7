// The missing-day planner. Days are planned a week ahead, so some never were if no scheduler ran for longer than that,
// or if schedulers learnt of a scheme later than the services that take its debits. A debit that is open on such a date
// would wait for a close that nobody appends. So the owner of its partition plans the day once it is past: its windows
// are missed, in order, and it is reconciled.
//
// #1 It plans only past dates, by the broker clock in the scheme's zone, of which the partition has applied no marker.
//    `day-planner.ts` plans all others.
// #2 Nothing is appended before every record that the partition had when it was taken is handled: the day's own markers
//    may be among them.
// #3 The plan follows this process's configuration; if the day was planned after all, a second plan changes nothing.
//
// Bound: dates that open debits name and that have no marker yet, at most `wantedMax`; the next owner finds the others.

import type { Scheme } from "@sluice/config";
import { dayKey, type DayKey, type DayPlanned, isUnresolved, type Transaction } from "@sluice/domain";
import type { Logger, Time } from "@sluice/kernel";
import type { OpenRow } from "@sluice/store";
import type { AppendFacts } from "./append-facts.ts";
import type { AppliedMarkers } from "../partition/applied-markers.ts";
import { schemeLocalDate, buildDayPlan } from "./day-planner.ts";
import { failedRunPauseMs, startBackgroundTask } from "./background-task.ts";

export interface MissingDayPlannerOptions {
  readonly partition: number;
  readonly partitionCount: number;
  readonly schemes: readonly Scheme[];
  readonly markers: AppliedMarkers;
  readonly append: AppendFacts;
  brokerNowMs(): number | null;
  /** Whether every record that the partition had when it was assigned has been handled. */
  readonly isCaughtUp: () => boolean;
  readonly time: Time;
  readonly logger: Logger;
}

export interface MissingDayPlanner {
  /** Adds an open transaction; called for each one at take-over. */
  fill(row: OpenRow): void;
  /** Takes note of a transaction after a record changed it. */
  observe(transaction: Transaction): void;
  /** Called after a batch: the partition may have caught up. */
  onProgress(): void;
  wake(): void;
  stop(): void;
}

const wantedMax = 1_000;
/** Milliseconds between two looks while the broker clock is not known. */
const askAgainMs = 1_000;

export function startMissingDayPlanner(options: MissingDayPlannerOptions): MissingDayPlanner {
  const { partition, partitionCount, schemes, markers, append, time, logger } = options;
  const wanted = new Set<DayKey>();
  const task = startBackgroundTask({ name: "missing-day-planner", partition, time, logger, run });
  let isChecked = false;

  async function run(): Promise<number | null> {
    if (!options.isCaughtUp()) return null;
    const nowMs = options.brokerNowMs();
    if (nowMs === null) return askAgainMs;
    isChecked = true;
    for (const day of wanted) if (markers.markersOf(day).length > 0) wanted.delete(day);
    const plans = schemes.flatMap((scheme) => planPastDates(scheme, nowMs));
    if (plans.length === 0) return null;
    const days = plans.map((plan) => dayKey(plan.scheme, plan.businessDate));
    if (!(await append(plans.map((fact) => ({ key: dayKey(fact.scheme, fact.businessDate), fact }))))) return failedRunPauseMs;
    for (const day of days) wanted.delete(day);
    logger.error("days.planned-late", { partition, days });
    return null;
  }

  /** Plans the wanted dates of a scheme that are past (#1). */
  function planPastDates(scheme: Scheme, nowMs: number): readonly DayPlanned[] {
    const today = schemeLocalDate(scheme, nowMs);
    const dates = [...wanted].filter((day) => day.startsWith(`${scheme.id}:`)).map((day) => day.slice(scheme.id.length + 1));
    return dates.filter((date) => date < today).map((date) => buildDayPlan(scheme, partitionCount, date));
  }

  function want({ state, flow, reconciliationDay }: Pick<Transaction, "state" | "flow" | "reconciliationDay">): void {
    if (flow === "credit" || reconciliationDay === null || !isUnresolved(state) || wanted.has(reconciliationDay)) return;
    if (wanted.size >= wantedMax || markers.markersOf(reconciliationDay).length > 0) return;
    wanted.add(reconciliationDay);
    isChecked = false;
  }

  return {
    fill: want,
    observe: want,
    onProgress() {
      if (!isChecked && wanted.size > 0) task.wake();
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}
