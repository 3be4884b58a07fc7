// What is open at an instant, and what comes next. Functions of (data, instant) alone.
//
// #1 A window is open from its opening, that instant included, to its closing, that instant excluded.
// #2 Next is strictly after the instant. Null where the calendar has ended.

import { plainDate } from "./calendar.ts";
import type { SchemeTimes } from "./calendar.ts";
import { daysAfter } from "./local-time.ts";
import { businessDateFrom, instantsOf } from "./plan-day.ts";
import type { PlannedWindowTimes } from "./plan-day.ts";

export interface OpenWindow extends PlannedWindowTimes {
  readonly businessDate: string;
}

export interface ComingTime {
  readonly atMs: number;
  readonly businessDate: string;
}

export interface ComingWindowTime extends ComingTime {
  /** Of the window. */
  readonly number: number;
}

export interface Coming {
  readonly opening: ComingWindowTime | null;
  readonly closing: ComingWindowTime | null;
  readonly reconciliation: ComingTime | null;
}

/** #1 Windows open at an instant, by opening; several where those of two dates overlap. */
export function current(times: SchemeTimes, atMs: number): readonly OpenWindow[] {
  const dates = datesAround(times, atMs, (date) => Temporal.PlainDate.compare(date, plainDate(times.calendar, atMs)) > 0);
  return windowsOf(times, dates)
    .filter(({ opensAtMs, closesAtMs }) => opensAtMs <= atMs && atMs < closesAtMs)
    .toSorted((a, b) => a.opensAtMs - b.opensAtMs);
}

/** #2 The next opening, closing and reconciliation close. */
export function next(times: SchemeTimes, atMs: number): Coming {
  const reach = reachOf(times);
  let sufficient: Temporal.PlainDate | null = null;
  const dates = datesAround(times, atMs, (date) => {
    // From the first date whose every time is still to come, those of later dates can lie before its own only as far as times reach.
    if (sufficient === null && (instantsOf(times, date).windows[0]?.opensAtMs ?? 0) > atMs) sufficient = date.add({ days: reach });
    return sufficient !== null && Temporal.PlainDate.compare(date, sufficient) > 0;
  });
  const windows = windowsOf(times, dates);
  const openings = windows.map(({ businessDate, number, opensAtMs }) => ({ atMs: opensAtMs, businessDate, number }));
  const closings = windows.map(({ businessDate, number, closesAtMs }) => ({ atMs: closesAtMs, businessDate, number }));
  const reconciliations = dates.map((date) => ({ atMs: instantsOf(times, date).reconciliationAtMs, businessDate: date.toString() }));
  return { opening: firstAfter(openings, atMs), closing: firstAfter(closings, atMs), reconciliation: firstAfter(reconciliations, atMs) };
}

/** Business dates in order, from the first whose times may be ahead of the instant, up to and with the first that is enough. */
function datesAround(times: SchemeTimes, atMs: number, isEnough: (date: Temporal.PlainDate) => boolean): readonly Temporal.PlainDate[] {
  const from = plainDate(times.calendar, atMs).subtract({ days: reachOf(times) });
  const dates: Temporal.PlainDate[] = [];
  for (let date = businessDateFrom(times, from); date !== null; date = businessDateFrom(times, date.add({ days: 1 }))) {
    dates.push(date);
    if (isEnough(date)) break;
  }
  return dates;
}

/** Days after its date that a time may lie; one more, where a clock skipped a day. */
function reachOf(times: SchemeTimes): number {
  return daysAfter(times.reconciliation) + 1;
}

function windowsOf(times: SchemeTimes, dates: readonly Temporal.PlainDate[]): readonly OpenWindow[] {
  return dates.flatMap((date) => instantsOf(times, date).windows.map((window) => ({ businessDate: date.toString(), ...window })));
}

/** Of two at the same instant the one of the earlier date. */
function firstAfter<T extends ComingTime>(coming: readonly T[], atMs: number): T | null {
  return coming.filter((one) => one.atMs > atMs).toSorted((a, b) => a.atMs - b.atMs)[0] ?? null;
}
