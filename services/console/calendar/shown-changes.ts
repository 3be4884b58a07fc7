// What a comparison of calendars shows: a date before and after, and where held debits would go.

import { type DateChange, type DebitMove, findMove } from "@sluice/calendar";
import type { Scheme } from "@sluice/config";
import type { TotalsRow } from "@sluice/store";
import { formatAmount } from "../views/control-values.ts";
import { describeDate } from "./list-calendar.ts";

export function showChange({ date, change }: DateChange, before: Scheme, after: Scheme) {
  return { date, change, before: describeDate(before, date), after: describeDate(after, date) };
}

interface ShownMove {
  readonly bank: string | null;
  readonly businessDate: string;
  readonly currency: string;
  readonly count: number;
  readonly sum: string;
  readonly change: DebitMove["change"];
  /** Null: there is no date for them. */
  readonly goesTo: string | null;
}

/** Empty: nothing happens to them. */
export function showMove(held: TotalsRow, before: Scheme, after: Scheme | null): readonly ShownMove[] {
  const { bank, businessDate, currency, count, sumTenThousandths } = held;
  if (businessDate === null || currency === null) return [];
  const move = findMove(before, after, businessDate);
  if (move === null) return [];
  const goesTo = move.change === "times" ? businessDate : move.goesTo;
  return [{ bank, businessDate, currency, count, sum: formatAmount(sumTenThousandths, currency), change: move.change, goesTo }];
}
