// The times of one calendar date of a scheme, as instants.
//
// #1 opens ≤ closes ≤ next opens ≤ … ≤ reconciliation, also where a missing hour moves one of them past the next: that one
//    then moves along. Nothing moves backward (I9).
// #2 A window that the missing hour leaves without any time is void: it is left out, and the others keep their numbers. The
//    cut-off counts from the last window that is left.
// #3 A date that does not work, or whose windows are all void, is no business date: no window, nobody's next date; its other
//    times are those it would have.

import { firstWorkingDay, isWorking } from "./calendar.ts";
import type { SchemeTimes } from "./calendar.ts";
import { instantOf } from "./local-time.ts";

export interface PlannedTimes {
  readonly scheme: string;
  readonly businessDate: string;
  readonly zone: string;
  readonly calendarVersion: string;
  /** False: no window. */
  readonly isWorkingDay: boolean;
  /** In order, numbered from 1 as configured; empty on a date that is no business date. */
  readonly windows: readonly { readonly number: number; readonly opensAtMs: number; readonly closesAtMs: number }[];
  /** Last instant of receipt for the date. */
  readonly cutOffAtMs: number;
  readonly reconciliationAtMs: number;
  /** The first business date after this one. */
  readonly nextBusinessDate: string;
}

export function planDay(times: SchemeTimes, schemeId: string, businessDate: string): PlannedTimes {
  const { calendar } = times;
  const date = Temporal.PlainDate.from(businessDate);
  const instants = instantsOf(times, date);
  const isWorkingDay = isWorking(calendar, date) && instants.windows.length > 0;
  return {
    scheme: schemeId,
    businessDate: date.toString(),
    zone: calendar.zone,
    calendarVersion: calendar.version,
    isWorkingDay,
    windows: isWorkingDay ? instants.windows : [],
    cutOffAtMs: instants.cutOffAtMs,
    reconciliationAtMs: instants.reconciliationAtMs,
    nextBusinessDate: firstBusinessDate(times, date.add({ days: 1 })).toString(),
  };
}

/** @internal #3 */
export function isBusinessDate(times: SchemeTimes, date: Temporal.PlainDate): boolean {
  return isWorking(times.calendar, date) && hasWindow(times, date);
}

/** @internal `from` itself, or the first business date after it. */
export function firstBusinessDate(times: SchemeTimes, from: Temporal.PlainDate): Temporal.PlainDate {
  return firstWorkingDay(times.calendar, from, (date) => hasWindow(times, date));
}

/** @internal */
export type Instants = Pick<PlannedTimes, "windows" | "cutOffAtMs" | "reconciliationAtMs">;

/** @internal The instants of a date, whether it works or not. */
export function instantsOf(times: SchemeTimes, date: Temporal.PlainDate): Instants {
  const { zone } = times.calendar;
  let latestMs = -Infinity;
  const inOrder = (text: string): number => (latestMs = Math.max(latestMs, instantOf(zone, date, text)));
  const planned = times.processing.map(({ opens, closes }, index) => {
    const opensAtMs = inOrder(opens);
    return { number: index + 1, opensAtMs, closesAtMs: inOrder(closes) };
  });
  const windows = planned.filter(({ opensAtMs, closesAtMs }) => closesAtMs > opensAtMs);
  const lastCloseMs = windows.at(-1)?.closesAtMs ?? latestMs;
  return { windows, cutOffAtMs: lastCloseMs - times.cutOffMs, reconciliationAtMs: inOrder(times.reconciliation) };
}

function hasWindow(times: SchemeTimes, date: Temporal.PlainDate): boolean {
  return instantsOf(times, date).windows.length > 0;
}
