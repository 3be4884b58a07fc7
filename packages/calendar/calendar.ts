// The windows of a scheme as data, and what follows from them and its calendar for an instant: pure functions on
// `Temporal`. Local times are `HH:MM` or `HH:MM:SS`, with `+1d ` in front for the next calendar day of the same
// business date.

import { type Calendar, closureOn } from "./holidays.ts";

export interface SchemeTimes {
  readonly calendar: Calendar;
  /** Processing windows in order, numbered from 1. */
  readonly processing: readonly { readonly opens: string; readonly closes: string }[];
  /** Local time of the reconciliation close. */
  readonly reconciliation: string;
  /** How long before the last processing window closes a debit for that date must have been received, milliseconds. */
  readonly cutOffMs: number;
}

/** @internal Days that a search for a working day goes through; a calendar without one in that time is a mistake. */
export const searchDaysMax = 400;

export function isWorkingDay(calendar: Calendar, date: string): boolean {
  return isWorking(calendar, Temporal.PlainDate.from(date));
}

/**
 * The business date of a credit: the date of receipt in the scheme's zone if it works, otherwise the next working day.
 */
export function creditBusinessDate(calendar: Calendar, atMs: number): string {
  const received = plainDate(calendar, atMs);
  const date = workingDayFrom(calendar, received);
  if (date === null) throw noWorkingDay(calendar, received);
  return date.toString();
}

/** Returns the calendar date of an instant in the scheme's zone. */
export function localDate(times: Pick<SchemeTimes, "calendar">, atMs: number): string {
  return plainDate(times.calendar, atMs).toString();
}

/** Returns every calendar date from the local date of an instant to `days` days later, both included. */
export function datesAhead(times: Pick<SchemeTimes, "calendar">, atMs: number, days: number): readonly string[] {
  const today = plainDate(times.calendar, atMs);
  return Array.from({ length: days + 1 }, (_, day) => today.add({ days: day }).toString());
}

interface DatedMinute {
  readonly minute: number;
  readonly date: Temporal.PlainDate;
}

/** The minute that each calendar was asked for last, with its date: the receipts of one moment have the same. */
const lastMinutes = new WeakMap<Calendar, DatedMinute>();
const minuteMs = 60_000;

/** @internal A day begins and ends with a minute, because every zone's offset is one of whole minutes since 1972. */
export function plainDate(calendar: Calendar, atMs: number): Temporal.PlainDate {
  const minute = Math.floor(atMs / minuteMs);
  const last = lastMinutes.get(calendar);
  if (last?.minute === minute) return last.date;
  const date = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toZonedDateTimeISO(calendar.zone).toPlainDate();
  lastMinutes.set(calendar, { minute, date });
  return date;
}

/** @internal */
export function isWorking(calendar: Calendar, date: Temporal.PlainDate): boolean {
  return closureOn(calendar, date) === null;
}

/**
 * @internal Finds the first date from `from` on that works and for which `isGood` holds; null: none within
 * `searchDaysMax`.
 */
export function workingDayFrom(
  calendar: Calendar,
  from: Temporal.PlainDate,
  isGood: (date: Temporal.PlainDate) => boolean = () => true,
): Temporal.PlainDate | null {
  for (let days = 0; days <= searchDaysMax; days += 1) {
    const date = from.add({ days });
    if (isWorking(calendar, date) && isGood(date)) return date;
  }
  return null;
}

/** @internal The error of a search that found no working day. */
export function noWorkingDay(calendar: Calendar, from: Temporal.PlainDate): Error {
  return new Error(`calendar ${calendar.version} has no working day within ${searchDaysMax} days of ${from.toString()}`);
}
