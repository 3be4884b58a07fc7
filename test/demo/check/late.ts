// Debits that missed the day: they were held when their window closed, or came after its cut-off, so they are held for
// another date. One sentence says so for all of them, and the checks of the day leave them out.

import type { Transaction } from "@sluice/domain";
import type { DayEvidence } from "./day.ts";

export function isLate(transaction: Transaction | undefined, businessDate: string): boolean {
  return transaction?.state === "HELD" && transaction.businessDate !== businessDate;
}

/** Returns the UETRs of the debits that are held for another date. */
export function findLate({ day, snapshots }: DayEvidence, businessDate: string): ReadonlySet<string> {
  return new Set(day.transactions.map(({ uetr }) => uetr).filter((uetr) => isLate(snapshots.get(uetr), businessDate)));
}

/** A day with late debits is not as planned. */
export function describeLate(late: ReadonlySet<string>, businessDate: string): readonly string[] {
  if (late.size === 0) return [];
  const [first = ""] = late;
  const which = late.size === 1 ? first : `${late.size} debits, ${first} the first,`;
  return [`${which} missed the window of ${businessDate}, as on a machine that is too slow for this day; held for the next date`];
}
