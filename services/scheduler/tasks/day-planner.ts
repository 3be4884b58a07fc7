// The day planner: every scheduler process appends a DayPlanned for each calendar date of each scheme that takes
// debits, from today to a week ahead, also for a date without a window: at start, with every configuration, and at each
// local midnight. The first plan of a calendar version counts; the others change nothing. A scheme of credits alone has
// no windows: its calendar dates its credits, and there is no day to open.
//
// #1 Today is the scheme's local date by the broker clock. An earlier date is planned too while its reconciliation
//    close is still ahead (windows over midnight).
// #2 A process plans a date once for each calendar version. Dates fail apart: only those are appended again that are
//    not acknowledged, because the days of a partition without a leader would otherwise have the others written with
//    every repeat.

import { datesAhead, planDay } from "@sluice/calendar";
import type { Scheme } from "@sluice/config";
import { dayKey, type DayPlanned } from "@sluice/domain";
import type { Logger, Time } from "@sluice/kernel";
import type { SchedulerMetrics } from "../scheduler-metrics.ts";
import type { AppendFacts } from "./append-facts.ts";
import { failedRunPauseMs, startBackgroundTask } from "./background-task.ts";

export interface DayPlannerOptions {
  readonly schemes: readonly Scheme[];
  readonly partitionCount: number;
  readonly append: AppendFacts;
  brokerNowMs(): number | null;
  readonly metrics: Pick<SchedulerMetrics, "plannedUntil">;
  readonly time: Time;
  readonly logger: Logger;
}

export interface DayPlanner {
  /** Whether the plan of this process's configuration is in the journal, but for the days that are missing. */
  isAppended(): boolean;
  /** The days that could not be appended yet, as `scheme:date`. */
  missing(): readonly string[];
  stop(): void;
}

const daysAhead = 7;
const dayMs = 86_400_000;
/** Milliseconds between two looks while the broker clock is not known. */
const askAgainMs = 100;

export function startDayPlanner(options: DayPlannerOptions): DayPlanner {
  const { partitionCount, append, time, logger } = options;
  const schemes = options.schemes.filter(({ takesDebits }) => takesDebits);
  let planned: ReadonlySet<string> = new Set();
  let isAppended = false;
  let missing: readonly string[] = [];
  const task = startBackgroundTask({ name: "day-planner", partition: null, time, logger, run });
  task.wake();

  async function run(): Promise<number | null> {
    const nowMs = options.brokerNowMs();
    if (nowMs === null) return askAgainMs;
    const plans = schemes.flatMap((scheme) => buildDayPlans(scheme, partitionCount, nowMs));
    const isNew = plans.filter((plan) => !planned.has(planId(plan)));
    const failed = new Set(await appendEach(isNew));
    const added = isNew.filter((plan) => !failed.has(plan));
    if (added.length > 0) logger.info("days.planned", { days: added.map(keyOf) });
    const known = plans.filter((plan) => !failed.has(plan));
    planned = new Set(known.map(planId));
    missing = [...failed].map(keyOf);
    for (const { scheme, businessDate } of known) options.metrics.plannedUntil.set(Date.parse(businessDate) / 1_000, { scheme });
    isAppended ||= known.length > 0 || plans.length === 0;
    if (failed.size > 0) return failedRunPauseMs;
    return schemes.length === 0 ? null : Math.min(...schemes.map((scheme) => untilMidnightMs(scheme, nowMs)));
  }

  /** #2: answers those that may be missing in the journal. */
  async function appendEach(plans: readonly DayPlanned[]): Promise<readonly DayPlanned[]> {
    const done = await Promise.all(plans.map(async (fact) => await append([{ key: keyOf(fact), fact }])));
    return plans.filter((_, index) => done[index] === false);
  }

  return { isAppended: () => isAppended, missing: () => missing, stop: () => task.stop() };
}

export function buildDayPlans(scheme: Scheme, partitionCount: number, nowMs: number): readonly DayPlanned[] {
  const { times } = scheme;
  const plan = (date: string): DayPlanned => buildDayPlan(scheme, partitionCount, date);
  const yesterday = datesAhead(times, nowMs - dayMs, 0).map(plan);
  const ahead = datesAhead(times, nowMs, daysAhead).map(plan);
  const today = ahead[0]?.businessDate ?? "";
  return [...yesterday.filter((day) => day.businessDate < today && day.isWorkingDay && day.reconciliationAtMs > nowMs), ...ahead];
}

export function buildDayPlan({ times, id, creditsFinal }: Scheme, partitionCount: number, date: string): DayPlanned {
  return { kind: "DayPlanned", ...planDay(times, id, date), creditsFinal, partitionCount };
}

/** The local date in the scheme's zone. */
export function schemeLocalDate({ times }: Scheme, atMs: number): string {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(times.calendar.zone).toPlainDate().toString();
}

function keyOf({ scheme, businessDate }: DayPlanned): string {
  return dayKey(scheme, businessDate);
}

function planId(plan: DayPlanned): string {
  return `${keyOf(plan)} ${plan.calendarVersion}`;
}

function untilMidnightMs({ times }: Scheme, nowMs: number): number {
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(times.calendar.zone);
  return now.add({ days: 1 }).startOfDay().epochMilliseconds - nowMs;
}
