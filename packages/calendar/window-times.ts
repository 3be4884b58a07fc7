// The windows that are open at an instant, and the times that come next. Functions of (data, instant) only.
//
// #1 A window is open from its opening, that instant included, to its closing, that instant excluded.
// #2 A next time is strictly after the instant. It is null where the calendar has ended.

import { plainDate, type SchemeTimes } from "./calendar.ts";
import { daysAfter } from "./local-time.ts";
import { businessDateFrom, instantsOn, type PlannedWindowTimes } from "./plan-day.ts";

export interface OpenWindow extends PlannedWindowTimes {
  readonly businessDate: string;
}

export interface NextTime {
  readonly atMs: number;
  readonly businessDate: string;
}

interface NextWindowTime extends NextTime {
  /** Number of the window. */
  readonly number: number;
}

export interface NextTimes {
  readonly opening: NextWindowTime | null;
  readonly closing: NextWindowTime | null;
  readonly reconciliation: NextTime | null;
}

/** #1 Returns the windows open at an instant, sorted by opening; several if those of two dates overlap. */
export function openWindowsAt(times: SchemeTimes, atMs: number): readonly OpenWindow[] {
  const dates = datesAround(times, atMs, (date) => Temporal.PlainDate.compare(date, plainDate(times.calendar, atMs)) > 0);
  return listWindows(times, dates)
    .filter(({ opensAtMs, closesAtMs }) => opensAtMs <= atMs && atMs < closesAtMs)
    .toSorted((a, b) => a.opensAtMs - b.opensAtMs);
}

/** #2 Returns the next opening, closing and reconciliation close. */
export function nextTimesAfter(times: SchemeTimes, atMs: number): NextTimes {
  const reach = reachDays(times);
  let sufficient: Temporal.PlainDate | null = null;
  const dates = datesAround(times, atMs, (date) => {
    // Once all times of a date are ahead, times of later dates can come before its own only within `reach` days.
    if (sufficient === null && (instantsOn(times, date).windows[0]?.opensAtMs ?? 0) > atMs) sufficient = date.add({ days: reach });
    return sufficient !== null && Temporal.PlainDate.compare(date, sufficient) > 0;
  });
  const windows = listWindows(times, dates);
  const openings = windows.map(({ businessDate, number, opensAtMs }) => ({ atMs: opensAtMs, businessDate, number }));
  const closings = windows.map(({ businessDate, number, closesAtMs }) => ({ atMs: closesAtMs, businessDate, number }));
  const reconciliations = dates.map((date) => ({ atMs: instantsOn(times, date).reconciliationAtMs, businessDate: date.toString() }));
  return { opening: firstAfter(openings, atMs), closing: firstAfter(closings, atMs), reconciliation: firstAfter(reconciliations, atMs) };
}

/**
 * Returns business dates in order, from the first whose times can be ahead of the instant to the first that is enough.
 */
function datesAround(times: SchemeTimes, atMs: number, isEnough: (date: Temporal.PlainDate) => boolean): readonly Temporal.PlainDate[] {
  const from = plainDate(times.calendar, atMs).subtract({ days: reachDays(times) });
  const dates: Temporal.PlainDate[] = [];
  for (let date = businessDateFrom(times, from); date !== null; date = businessDateFrom(times, date.add({ days: 1 }))) {
    dates.push(date);
    if (isEnough(date)) break;
  }
  return dates;
}

/** Number of days that a time can be after its date; one more, because a zone can skip a day. */
function reachDays(times: SchemeTimes): number {
  return daysAfter(times.reconciliation) + 1;
}

function listWindows(times: SchemeTimes, dates: readonly Temporal.PlainDate[]): readonly OpenWindow[] {
  return dates.flatMap((date) => instantsOn(times, date).windows.map((window) => ({ businessDate: date.toString(), ...window })));
}

/** Of two times at the same instant the one of the earlier date comes first. */
function firstAfter<T extends NextTime>(coming: readonly T[], atMs: number): T | null {
  return coming.filter((one) => one.atMs > atMs).toSorted((a, b) => a.atMs - b.atMs)[0] ?? null;
}
