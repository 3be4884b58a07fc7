// The day clock: when agreed time has passed a planned time of a day, the owner of the day's lane appends DayTimeReached. The day judges it by
// its append time, so too early has no effect, and a repeat has none.
//
// 1. Never before the planned time by agreed time (I9).
// 2. Repeated every second until the day shows the effect: opened or missed, closed, reconciled.
// 3. All due times of a day go out in the order of their planned times.

import type { Day, DayKey, DayTimeReached } from "@sluice/domain";
import type { Time } from "@sluice/runtime";
import type { Log } from "@sluice/telemetry";
import type { AppendFacts, FactToAppend } from "./appending.ts";
import { startStandingTask } from "./standing-task.ts";

export interface DayClockOptions {
  readonly lane: number;
  /** Days of this lane that are not over, as the store has them. */
  readonly days: readonly Day[];
  readonly append: AppendFacts;
  agreedNowMs(): number | null;
  readonly time: Time;
  readonly log: Log;
}

export interface DayClock {
  /** A day as a record left it. */
  saw(day: Day): void;
  wake(): void;
  stop(): void;
}

export interface DayTime {
  readonly time: DayTimeReached["time"];
  readonly number: number;
  readonly atMs: number;
}

const repeatAfterMs = 1_000;
/** A timer is set at most this far ahead: the plan may change, and clocks drift. */
const sleepMaxMs = 60_000;

export function startDayClock(options: DayClockOptions): DayClock {
  const { lane, append, time, log } = options;
  /** Bounded by the days planned ahead and those not yet reconciled. */
  const days = new Map<DayKey, Day>(options.days.map((day) => [day.key, day]));
  const task = startStandingTask({ name: "day-clock", lane, time, log, turn });

  async function turn(): Promise<number | null> {
    const nowMs = options.agreedNowMs();
    if (nowMs === null) return repeatAfterMs;
    const due: FactToAppend[] = [];
    let nextMs: number | null = null;
    for (const day of days.values()) {
      for (const { time: what, number, atMs } of timesAhead(day)) {
        const { scheme, businessDate } = day.plan;
        if (atMs <= nowMs) due.push({ key: day.key, fact: { kind: "DayTimeReached", scheme, businessDate, time: what, number } });
        else nextMs = Math.min(nextMs ?? atMs, atMs);
      }
    }
    if (due.length > 0) await append(due);
    if (due.length > 0) return repeatAfterMs;
    return nextMs === null ? null : Math.min(Math.max(1, nextMs - nowMs), sleepMaxMs);
  }

  return {
    saw(day) {
      if (isOver(day)) days.delete(day.key);
      else days.set(day.key, day);
      task.wake();
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}

/** Planned times of the day whose effect it does not show yet, in their order. */
export function timesAhead(day: Day): readonly DayTime[] {
  if (isOver(day)) return [];
  const times: DayTime[] = [];
  for (const { number, opensAtMs, closesAtMs } of day.plan.windows) {
    const isClosed = day.closed.includes(number);
    if (!isClosed && !day.opened.includes(number) && !day.missed.includes(number))
      times.push({ time: "window-opens", number, atMs: opensAtMs });
    if (!isClosed) times.push({ time: "window-closes", number, atMs: closesAtMs });
  }
  return [...times, { time: "reconciliation", number: 0, atMs: day.plan.reconciliationAtMs }];
}

/** A date without a window is reconciled too; only days written before that was so have no times at all. */
function isOver(day: Day): boolean {
  return day.reconciledAtMs !== null || (day.plan.windows.length === 0 && !day.isVoided);
}
