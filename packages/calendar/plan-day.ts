// The times of one calendar date of a scheme, as instants.
//
// #1 opens ≤ closes ≤ next opens ≤ … ≤ reconciliation, also where a missing hour moves one of them past the next: that one
//    then moves along, and a window may have no length.
// #2 A date that does not work has no window; its other times are those it would have.

import { isWorking, nextBusinessDate } from "./calendar.ts";
import type { SchemeTimes } from "./calendar.ts";
import { instantOf } from "./local-time.ts";

export interface PlannedTimes {
  readonly scheme: string;
  readonly businessDate: string;
  readonly zone: string;
  readonly calendarVersion: string;
  readonly isWorkingDay: boolean;
  /** In order, numbered from 1; empty on a date that does not work. */
  readonly windows: readonly { readonly number: number; readonly opensAtMs: number; readonly closesAtMs: number }[];
  /** Last instant of receipt for the date. */
  readonly cutOffAtMs: number;
  readonly reconciliationAtMs: number;
  /** The first working day after the date. */
  readonly nextBusinessDate: string;
}

export function planDay(times: SchemeTimes, schemeId: string, businessDate: string): PlannedTimes {
  const { calendar } = times;
  const date = Temporal.PlainDate.from(businessDate);
  const instants = instantsOf(times, date);
  const isWorkingDay = isWorking(calendar, date);
  return {
    scheme: schemeId,
    businessDate: date.toString(),
    zone: calendar.zone,
    calendarVersion: calendar.version,
    isWorkingDay,
    windows: isWorkingDay ? instants.windows : [],
    cutOffAtMs: instants.cutOffAtMs,
    reconciliationAtMs: instants.reconciliationAtMs,
    nextBusinessDate: nextBusinessDate(calendar, date.toString()),
  };
}

/** @internal */
export type Instants = Pick<PlannedTimes, "windows" | "cutOffAtMs" | "reconciliationAtMs">;

/** @internal The instants of a date, whether it works or not. */
export function instantsOf(times: SchemeTimes, date: Temporal.PlainDate): Instants {
  const { zone } = times.calendar;
  let latestMs = -Infinity;
  const inOrder = (text: string): number => (latestMs = Math.max(latestMs, instantOf(zone, date, text)));
  const windows = times.processing.map(({ opens, closes }, index) => {
    const opensAtMs = inOrder(opens);
    return { number: index + 1, opensAtMs, closesAtMs: inOrder(closes) };
  });
  return { windows, cutOffAtMs: latestMs - times.cutOffMs, reconciliationAtMs: inOrder(times.reconciliation) };
}
