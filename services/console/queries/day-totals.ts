// Adds up a bank's payments of a business date by scheme and currency, and compares the totals with the alarms that the
// configuration sets (docs/spec/decisions.md D6.16). An alarm informs people; it refuses nothing.
//
// #1 Counted are debits and credits that were or will be sent to the bank, whatever became of them later; payments that
//    Sluice rejected are not counted.
// #2 The alarm is on as soon as the total is above the configured sum.

import type { Bank } from "@sluice/config";
import type { OrphanState, State } from "@sluice/domain";
import type { TotalsRow } from "@sluice/store";

export interface DayTotal {
  readonly bank: string;
  readonly scheme: string;
  readonly businessDate: string;
  readonly currency: string;
  readonly count: number;
  readonly sumTenThousandths: bigint;
  /** The configured alarm; null: there is none. */
  readonly alarmAboveTenThousandths: bigint | null;
  readonly isAboveAlarm: boolean;
}

export type AlarmedBank = Pick<Bank, "id" | "dayTotalAlarms">;

const refusedStates: ReadonlySet<State | OrphanState> = new Set(["REJECTED", "REJECTION_REPORTED", "CREDIT_AUTH_REJECTED"]);

/** By bank, scheme, date and currency. */
export function sumDayTotals(rows: readonly TotalsRow[], banks: readonly AlarmedBank[]): readonly DayTotal[] {
  const totals = new Map<string, DayTotal>();
  const alarmed = new Map(banks.map((one) => [one.id, one]));
  for (const { bank, scheme, businessDate, currency, state, count, sumTenThousandths } of rows) {
    if (bank === null || scheme === null || businessDate === null || currency === null || refusedStates.has(state)) continue;
    const key = [bank, scheme, businessDate, currency].join(" ");
    const before = totals.get(key);
    const sum = (before?.sumTenThousandths ?? 0n) + sumTenThousandths;
    const alarm = findAlarm(alarmed.get(bank), scheme, currency);
    totals.set(key, {
      bank,
      scheme,
      businessDate,
      currency,
      count: (before?.count ?? 0) + count,
      sumTenThousandths: sum,
      alarmAboveTenThousandths: alarm,
      isAboveAlarm: alarm !== null && sum > alarm,
    });
  }
  return [...totals].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, total]) => total);
}

/** The smallest alarm if several are configured. */
function findAlarm(bank: AlarmedBank | undefined, scheme: string, currency: string): bigint | null {
  const alarms = bank?.dayTotalAlarms ?? [];
  const sums = alarms.filter((one) => one.scheme === scheme && one.currency === currency).map((one) => one.amountTenThousandths);
  return sums.reduce<bigint | null>((least, sum) => (least === null || sum < least ? sum : least), null);
}
