// When the broker clock has passed a planned time of a day, the owner of the day's partition appends DayTimeReached.
// The day decides by its append time, so one that is too early has no effect, and neither has a repeat.
//
// #1 It is never appended before the planned time by the broker clock (I9).
// #2 It is repeated every second until the day shows the effect: opened or missed, closed, reconciled. A day that
//    refuses it as too early is a record too, and does not hasten the repeat.
// #3 All due times of a day are appended in the order of their planned times.

import type { Day, DayKey, DayTimeReached } from "@sluice/domain";
import type { Logger, Time } from "@sluice/kernel";
import type { AppendFacts, FactToAppend } from "./append-facts.ts";
import { startBackgroundTask } from "./background-task.ts";

export interface DayClockOptions {
  readonly partition: number;
  /** Days of this partition that are not over, from the store. */
  readonly days: readonly Day[];
  readonly append: AppendFacts;
  brokerNowMs(): number | null;
  readonly time: Time;
  readonly logger: Logger;
}

export interface DayClock {
  /** Takes note of a day after a record changed it. */
  observe(day: Day): void;
  wake(): void;
  stop(): void;
}

export interface PlannedTime {
  readonly time: DayTimeReached["time"];
  readonly number: number;
  readonly atMs: number;
}

const repeatAfterMs = 1_000;
/** A timer is set at most this many milliseconds ahead: the plan may change, and clocks drift. */
const sleepMaxMs = 60_000;

export function startDayClock(options: DayClockOptions): DayClock {
  const { partition, append, time, logger } = options;
  /** Bounded by the days planned ahead and those not yet reconciled. */
  const days = new Map<DayKey, Day>(options.days.map((day) => [day.key, day]));
  /** Monotonic milliseconds at which the due times of each day were appended last (#2). */
  const appendedAtMs = new Map<DayKey, Map<string, number>>();
  const task = startBackgroundTask({ name: "day-clock", partition, time, logger, run });

  async function run(): Promise<number | null> {
    const nowMs = options.brokerNowMs();
    if (nowMs === null) return repeatAfterMs;
    const due: FactToAppend[] = [];
    const names: (readonly [DayKey, string])[] = [];
    const startedMs = time.monotonicMs();
    let nextMs: number | null = null;
    let repeatMs: number | null = null;
    for (const day of days.values()) {
      for (const { time: what, number, atMs } of listTimesAhead(day)) {
        const { scheme, businessDate } = day.plan;
        const name = `${what} ${number} ${atMs}`;
        const leftMs = (appendedAtMs.get(day.key)?.get(name) ?? Number.NEGATIVE_INFINITY) + repeatAfterMs - startedMs;
        if (atMs > nowMs) nextMs = Math.min(nextMs ?? atMs, atMs);
        else if (leftMs > 0) repeatMs = Math.min(repeatMs ?? leftMs, leftMs);
        else {
          due.push({ key: day.key, fact: { kind: "DayTimeReached", scheme, businessDate, time: what, number } });
          names.push([day.key, name]);
        }
      }
    }
    if (due.length > 0 && (await append(due))) for (const [key, name] of names) note(key, name, startedMs);
    const untilNextMs = nextMs === null ? null : Math.min(Math.max(1, nextMs - nowMs), sleepMaxMs);
    const repeatsInMs = due.length > 0 ? repeatAfterMs : repeatMs;
    return repeatsInMs === null ? untilNextMs : Math.min(repeatsInMs, untilNextMs ?? repeatsInMs);
  }

  function note(key: DayKey, name: string, atMs: number): void {
    const names = appendedAtMs.get(key) ?? new Map<string, number>();
    names.set(name, atMs);
    if (days.has(key)) appendedAtMs.set(key, names);
  }

  return {
    observe(day) {
      if (isOver(day)) appendedAtMs.delete(day.key);
      if (isOver(day)) days.delete(day.key);
      else days.set(day.key, day);
      task.wake();
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}

/** Lists the planned times whose effect the day does not show yet, in their order. */
export function listTimesAhead(day: Day): readonly PlannedTime[] {
  if (isOver(day)) return [];
  const times: PlannedTime[] = [];
  for (const { number, opensAtMs, closesAtMs } of day.plan.windows) {
    const isClosed = day.closed.includes(number);
    if (!isClosed && !day.opened.includes(number) && !day.missed.includes(number))
      times.push({ time: "window-opens", number, atMs: opensAtMs });
    if (!isClosed) times.push({ time: "window-closes", number, atMs: closesAtMs });
  }
  return [...times, { time: "reconciliation", number: 0, atMs: day.plan.reconciliationAtMs }];
}

/** A date without a window is reconciled too; only days written before that rule have no times at all. */
function isOver(day: Day): boolean {
  return day.reconciledAtMs !== null || (day.plan.windows.length === 0 && !day.isVoided);
}
