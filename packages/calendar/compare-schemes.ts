// What another calendar would change: which dates of which scheme, and where the held debits of a date would go.
//
// #1 A date changes if its windows, its cut-off or its reconciliation close change, or if it starts or stops being a
//    business date. Instants are compared: a zone with another name and the same hours changes nothing.
// #2 Pure: nothing is planned by it.

import type { SchemeTimes } from "./calendar.ts";
import { noBusinessReasonOn, planDay } from "./plan-day.ts";

interface ComparedScheme {
  readonly id: string;
  readonly times: SchemeTimes;
  readonly takesDebits: boolean;
}

export interface DateChange {
  readonly date: string;
  /** removed: it stops being a business date; times: it stays one, with others. */
  readonly change: "added" | "removed" | "times";
}

export interface SchemeDifference<Scheme extends ComparedScheme> {
  readonly scheme: string;
  /** Null: it is only on the other side. */
  readonly before: Scheme | null;
  readonly after: Scheme | null;
  /** Empty where one side does not have the scheme. */
  readonly dates: readonly DateChange[];
}

export interface DebitMove {
  readonly change: "removed" | "times" | "scheme-removed";
  /** The date to which debits of a removed date go; null: there is none, or their date stays. */
  readonly goesTo: string | null;
}

/** Schemes come in the order of `before`, then those that it does not have. */
export function compareSchemes<Scheme extends ComparedScheme>(
  before: readonly Scheme[],
  after: readonly Scheme[],
  dates: readonly string[],
): readonly SchemeDifference<Scheme>[] {
  const ids = [...new Set([...before, ...after].map(({ id }) => id))];
  return ids.map((scheme) => {
    const [older, newer] = [before, after].map((side) => side.find(({ id }) => id === scheme) ?? null);
    if (!older || !newer) return { scheme, before: older ?? null, after: newer ?? null, dates: [] };
    return { scheme, before: older, after: newer, dates: compareDates(older, newer, dates) };
  });
}

export function compareDates(older: ComparedScheme, newer: ComparedScheme, dates: readonly string[]): readonly DateChange[] {
  return dates.flatMap((date) => {
    const change = classifyChange(older, newer, date);
    return change === null ? [] : [{ date, change }];
  });
}

/** What happens to debits that are held on a date; null: nothing. */
export function findMove(older: ComparedScheme | null, newer: ComparedScheme | null, date: string): DebitMove | null {
  if (newer === null) return { change: "scheme-removed", goesTo: null };
  if (noBusinessReasonOn(newer.times, date) !== null)
    return { change: "removed", goesTo: planDay(newer.times, newer.id, date).nextBusinessDate };
  const isUnchanged = older === null || classifyChange(older, newer, date) === null;
  return isUnchanged ? null : { change: "times", goesTo: null };
}

function classifyChange(older: ComparedScheme, newer: ComparedScheme, date: string): DateChange["change"] | null {
  const [isOpen, willBeOpen] = [older, newer].map(({ times }) => noBusinessReasonOn(times, date) === null);
  if (isOpen === true && willBeOpen === false) return "removed";
  if (isOpen === false && willBeOpen === true) return "added";
  return timesText(older, date) === timesText(newer, date) ? null : "times";
}

/** Equal texts mean equal times; a date without a window has none. */
function timesText({ id, times, takesDebits }: ComparedScheme, date: string): string {
  if (!takesDebits) return "";
  const { isWorkingDay, windows, cutOffAtMs, reconciliationAtMs } = planDay(times, id, date);
  return isWorkingDay ? JSON.stringify([windows, cutOffAtMs, reconciliationAtMs]) : "";
}
