// Planning: every scheduler process appends a DayPlanned for each calendar date of each scheme that takes debits, today … +7, also for one
// without a window: at start, with every configuration, and at each local midnight. The first one of a calendar version counts; the others
// change nothing. A scheme of credits alone has no windows: its calendar dates its credits, and there is no day to open.
//
// 1. Today is the scheme's local date by agreed time. An earlier date is planned too while its reconciliation close is still ahead (windows
//    over midnight).
// 2. A date is planned by a process once for each calendar version.

import { datesAhead, planDay } from "@sluice/calendar";
import type { Scheme } from "@sluice/config";
import { dayKey } from "@sluice/domain";
import type { DayPlanned } from "@sluice/domain";
import type { Time } from "@sluice/runtime";
import type { Log } from "@sluice/telemetry";
import type { AppendFacts } from "./appending.ts";
import { failedTurnPauseMs, startStandingTask } from "./standing-task.ts";

export interface PlanningOptions {
  readonly schemes: readonly Scheme[];
  readonly lanes: number;
  readonly append: AppendFacts;
  agreedNowMs(): number | null;
  readonly time: Time;
  readonly log: Log;
}

export interface Planning {
  /** The plan of this process's configuration is in the journal. */
  isAppended(): boolean;
  stop(): void;
}

const daysAhead = 7;
const dayMs = 86_400_000;
/** Until agreed time is known. */
const askAgainMs = 100;

export function startPlanning(options: PlanningOptions): Planning {
  const { lanes, append, time, log } = options;
  const schemes = options.schemes.filter(({ takesDebits }) => takesDebits);
  let planned: ReadonlySet<string> = new Set();
  let isAppended = false;
  const task = startStandingTask({ name: "planning", lane: null, time, log, turn });
  task.wake();

  async function turn(): Promise<number | null> {
    const nowMs = options.agreedNowMs();
    if (nowMs === null) return askAgainMs;
    const plans = schemes.flatMap((scheme) => plansOf(scheme, lanes, nowMs));
    const isNew = plans.filter((plan) => !planned.has(idOf(plan)));
    if (isNew.length > 0) {
      const isDone = await append(isNew.map((fact) => ({ key: dayKey(fact.scheme, fact.businessDate), fact })));
      if (!isDone) return failedTurnPauseMs;
      log.info("days.planned", { days: isNew.map((plan) => dayKey(plan.scheme, plan.businessDate)) });
    }
    planned = new Set(plans.map(idOf));
    isAppended = true;
    return schemes.length === 0 ? null : Math.min(...schemes.map((scheme) => untilMidnightMs(scheme, nowMs)));
  }

  return { isAppended: () => isAppended, stop: () => task.stop() };
}

export function plansOf(scheme: Scheme, lanes: number, nowMs: number): readonly DayPlanned[] {
  const { times } = scheme;
  const plan = (date: string): DayPlanned => planOf(scheme, lanes, date);
  const yesterday = datesAhead(times, nowMs - dayMs, 0).map(plan);
  const ahead = datesAhead(times, nowMs, daysAhead).map(plan);
  const today = ahead[0]?.businessDate ?? "";
  return [...yesterday.filter((day) => day.businessDate < today && day.isWorkingDay && day.reconciliationAtMs > nowMs), ...ahead];
}

export function planOf({ times, id, creditsFinal }: Scheme, lanes: number, date: string): DayPlanned {
  return { kind: "DayPlanned", ...planDay(times, id, date), creditsFinal, lanes };
}

/** In the scheme's zone. */
export function localDate({ times }: Scheme, atMs: number): string {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(times.calendar.zone).toPlainDate().toString();
}

function idOf(plan: DayPlanned): string {
  return `${dayKey(plan.scheme, plan.businessDate)} ${plan.calendarVersion}`;
}

function untilMidnightMs({ times }: Scheme, nowMs: number): number {
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(times.calendar.zone);
  return now.add({ days: 1 }).startOfDay().epochMilliseconds - nowMs;
}
