// The times of one calendar date of a scheme, as instants.
//
// #1 opens ≤ closes ≤ next opens ≤ … ≤ reconciliation, also where a missing hour would move one of them past the next:
//    that next one then moves along. Nothing moves backward (I9).
// #2 A window that a missing hour leaves without any time is void: it is left out, and the others keep their numbers.
//    The cut-off counts from the last window that is left.
// #3 A date that does not work, or whose windows are all void, is no business date: it has no window and is never the
//    next date. Its other times are those that it would have.
// #4 A window that is configured not to begin before an earlier date's window closes never does so, whatever a missing
//    hour moves.
// #5 A plan's version names its content: other times, other days off or another rule of the zone give another version.

import { isWorking, noWorkingDay, type SchemeTimes, searchDaysMax, workingDayFrom } from "./calendar.ts";
import { type Closure, closureOn } from "./holidays.ts";
import { daysAfter, toInstantMs, wallTimeMs } from "./local-time.ts";

export interface PlannedTimes {
  readonly scheme: string;
  readonly businessDate: string;
  readonly zone: string;
  /** #5 The version of the calendar, `+`, and 8 hex digits of the content. */
  readonly calendarVersion: string;
  /** False if the date has no window. */
  readonly isWorkingDay: boolean;
  /** In order, numbered from 1 as configured; empty for a date that is no business date. */
  readonly windows: readonly PlannedWindowTimes[];
  /** The last instant of receipt for the date. */
  readonly cutOffAtMs: number;
  readonly reconciliationAtMs: number;
  /** The first business date after this one; null if the calendar ends and has none for 400 days. */
  readonly nextBusinessDate: string | null;
}

export interface PlannedWindowTimes {
  readonly number: number;
  readonly opensAtMs: number;
  readonly closesAtMs: number;
}

/** Why a date is no business date: it is closed, or none of its windows has any time. */
export type NoBusinessReason = Closure | { readonly kind: "missing-hour" };

export function planDay(times: SchemeTimes, schemeId: string, businessDate: string): PlannedTimes {
  const { calendar } = times;
  const date = Temporal.PlainDate.from(businessDate);
  const instants = instantsOn(times, date);
  const isWorkingDay = isWorking(calendar, date) && instants.windows.length > 0;
  const windows = isWorkingDay ? instants.windows : [];
  const { cutOffAtMs, reconciliationAtMs } = instants;
  const nextBusinessDate = businessDateFrom(times, date.add({ days: 1 }))?.toString() ?? null;
  const content = JSON.stringify([calendar.zone, windows, cutOffAtMs, reconciliationAtMs, nextBusinessDate]);
  return {
    scheme: schemeId,
    businessDate: date.toString(),
    zone: calendar.zone,
    calendarVersion: `${calendar.version}+${hashContent(content)}`,
    isWorkingDay,
    windows,
    cutOffAtMs,
    reconciliationAtMs,
    nextBusinessDate,
  };
}

/** #3 Why a date is no business date; null: it is one. */
export function noBusinessReasonOn(times: SchemeTimes, businessDate: string): NoBusinessReason | null {
  const date = Temporal.PlainDate.from(businessDate);
  return closureOn(times.calendar, date) ?? (hasWindow(times, date) ? null : { kind: "missing-hour" });
}

/** @internal #3 */
export function isBusinessDate(times: SchemeTimes, date: Temporal.PlainDate): boolean {
  return isWorking(times.calendar, date) && hasWindow(times, date);
}

/** @internal Finds the first business date from `from` on; null: none within 400 days. */
export function businessDateFrom(times: SchemeTimes, from: Temporal.PlainDate): Temporal.PlainDate | null {
  return workingDayFrom(times.calendar, from, (date) => hasWindow(times, date));
}

/** @internal The same, but throws if there is none. */
export function firstBusinessDate(times: SchemeTimes, from: Temporal.PlainDate): Temporal.PlainDate {
  const date = businessDateFrom(times, from);
  if (date === null) throw noWorkingDay(times.calendar, from);
  return date;
}

/** Finds the first date from `from` on, before `to`, after which no business date comes for 400 days; null: none. */
export function firstDateWithoutNext(times: SchemeTimes, from: string, to: string): string | null {
  let date = Temporal.PlainDate.from(from);
  while (date.toString() < to) {
    // The farthest business date within reach: every date before it has a next one too.
    const farthest = Array.from({ length: searchDaysMax }, (_, days) => searchDaysMax - days)
      .map((days) => date.add({ days }))
      .find((ahead) => isBusinessDate(times, ahead));
    if (farthest === undefined) return date.toString();
    date = farthest;
  }
  return null;
}

/** @internal */
export type Instants = Pick<PlannedTimes, "windows" | "cutOffAtMs" | "reconciliationAtMs">;

/** Cached instants by scheme, because every message asks for dates. */
const cache = new WeakMap<SchemeTimes, Map<string, Instants>>();
const datesKeptMax = 1_000;

/** @internal Returns the instants of a date, whether it works or not. */
export function instantsOn(times: SchemeTimes, date: Temporal.PlainDate): Instants {
  const dates = cache.get(times) ?? new Map<string, Instants>();
  if (dates.size >= datesKeptMax) dates.clear();
  cache.set(times, dates);
  const made = dates.get(date.toString()) ?? makeInstants(times, date);
  dates.set(date.toString(), made);
  return made;
}

function makeInstants(times: SchemeTimes, date: Temporal.PlainDate): Instants {
  const { zone } = times.calendar;
  const closesBefore = earlierCloses(times, date);
  let latestMs = -Infinity;
  const inOrder = (atMs: number): number => (latestMs = Math.max(latestMs, atMs));
  const planned = times.processing.map(({ opens, closes }, index) => {
    for (const earlier of closesBefore) if (earlier.wallMs <= wallTimeMs(opens)) inOrder(earlier.atMs);
    const opensAtMs = inOrder(toInstantMs(zone, date, opens));
    return { number: index + 1, opensAtMs, closesAtMs: inOrder(toInstantMs(zone, date, closes)) };
  });
  const windows = planned.filter(({ opensAtMs, closesAtMs }) => closesAtMs > opensAtMs);
  const lastCloseMs = windows.at(-1)?.closesAtMs ?? latestMs;
  return { windows, cutOffAtMs: lastCloseMs - times.cutOffMs, reconciliationAtMs: inOrder(toInstantMs(zone, date, times.reconciliation)) };
}

const dayMs = 86_400_000;

/** #4 The closes of earlier dates' windows near this date: the instant, and the wall time from this date's midnight. */
function earlierCloses(times: SchemeTimes, date: Temporal.PlainDate): readonly { readonly wallMs: number; readonly atMs: number }[] {
  const { calendar, processing } = times;
  // One day more, because a zone can skip a day.
  const reach = daysAfter(processing.at(-1)?.closes ?? "00:00") + 1;
  return Array.from({ length: reach }, (_, index) => index + 1).flatMap((days) => {
    const earlier = date.subtract({ days });
    if (!isWorking(calendar, earlier)) return [];
    return processing.map(({ closes }) => ({
      wallMs: wallTimeMs(closes) - days * dayMs,
      atMs: toInstantMs(calendar.zone, earlier, closes),
    }));
  });
}

function hasWindow(times: SchemeTimes, date: Temporal.PlainDate): boolean {
  return instantsOn(times, date).windows.length > 0;
}

/** FNV-1a of 32 bits: enough to tell apart the few contents that a date ever has. */
function hashContent(text: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93) >>> 0;
  return hash.toString(16).padStart(8, "0");
}
