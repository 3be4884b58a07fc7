// Calendars and windows as data, and what follows from them for an instant: pure functions on `Temporal`.
// Local times are `HH:MM` or `HH:MM:SS`, with `+1d ` in front for the next calendar day of the same business date.

import type { HolidayRule } from "./holiday-rules.ts";
import { closureOf } from "./holidays.ts";

/** What counts from one date on. */
export interface CalendarVersion {
  readonly version: string;
  /** ISO weekdays that work, 1 = Monday. */
  readonly workingDays: readonly number[];
  /** Dates that do not work, YYYY-MM-DD, and rules. */
  readonly holidays: readonly (string | HolidayRule)[];
  /** First and last date that it counts for, YYYY-MM-DD; left out: open. */
  readonly validFrom?: string;
  readonly validTo?: string;
}

/** The newest version, and those that were in force before it: what was once a business date stays one. */
export interface Calendar extends CalendarVersion {
  /** IANA zone, or a fixed offset such as `+05:00`. */
  readonly zone: string;
  readonly earlier?: readonly CalendarVersion[];
}

export interface SchemeTimes {
  readonly calendar: Calendar;
  /** Processing windows in order, numbered from 1. */
  readonly processing: readonly { readonly opens: string; readonly closes: string }[];
  /** Local time of the reconciliation close. */
  readonly reconciliation: string;
  /** How long before the last processing window closes a debit for that date must have been received, milliseconds. */
  readonly cutOffMs: number;
}

/** @internal A search for a working day goes no further: a calendar without one is a mistake of whoever made it. */
export const searchDaysMax = 400;

export function isWorkingDay(calendar: Calendar, date: string): boolean {
  return isWorking(calendar, Temporal.PlainDate.from(date));
}

/** Business date of a credit: the date of receipt in the scheme's zone if it works, else the next working day. */
export function creditBusinessDate(calendar: Calendar, atMs: number): string {
  const received = plainDate(calendar, atMs);
  const date = workingDayFrom(calendar, received);
  if (date === null) throw noWorkingDay(calendar, received);
  return date.toString();
}

/** The calendar date of an instant in the scheme's zone. */
export function localDate(times: Pick<SchemeTimes, "calendar">, atMs: number): string {
  return plainDate(times.calendar, atMs).toString();
}

/** Every calendar date from the local one of an instant to `days` days later, both included. */
export function datesAhead(times: Pick<SchemeTimes, "calendar">, atMs: number, days: number): readonly string[] {
  const today = plainDate(times.calendar, atMs);
  return Array.from({ length: days + 1 }, (_, day) => today.add({ days: day }).toString());
}

/** @internal */
export function plainDate(calendar: Calendar, atMs: number): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toZonedDateTimeISO(calendar.zone).toPlainDate();
}

/** @internal */
export function isWorking(calendar: Calendar, date: Temporal.PlainDate): boolean {
  return closureOf(calendar, date) === null;
}

/** @internal `from` itself, or the first date after it that works and of which `isGood` holds; null where there is none within `searchDaysMax`. */
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

/** @internal The error of a search that found none. */
export function noWorkingDay(calendar: Calendar, from: Temporal.PlainDate): Error {
  return new Error(`calendar ${calendar.version} has no working day within ${searchDaysMax} days of ${from.toString()}`);
}
