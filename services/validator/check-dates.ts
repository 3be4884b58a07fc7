// The dates of a payment: its business date, the close or the deadline that ends it, and the reason that a date gives.
//
// #1 The dates are those at receipt; if the append time is more than 60 s later, they are those at the append time.
// #2 A refused debit keeps its date and ends with the first reconciliation close at least an hour after receipt. If the
//    date itself was refused, that close's date becomes its business date.
// #3 An off-us debit and a credit are never refused for their date. A credit has no reconciliation day: it has a
//    deadline.

import {
  type BusinessDate,
  creditBusinessDate,
  firstReconciliationCloseAfter,
  offUsBusinessDate,
  onUsBusinessDate,
  subServiceFor,
} from "@sluice/calendar";
import type { Scheme } from "@sluice/config";
import type { AccountVerified, Reason } from "@sluice/contracts";
import { dayKey } from "@sluice/domain";
import type { Payment } from "./payment.ts";

type VerdictDates = Pick<AccountVerified, "businessDate" | "reconciliationDay" | "subService" | "deadlineMs">;

/** The append time of the payment's record, by the broker. */
export interface AppendTime {
  readonly appendedAtMs: number;
}

const appendLateMs = 60_000;
const reportTimeMinMs = 3_600_000;

/** #1 The instant that decides the dates, epoch milliseconds. */
export function receiptMs({ receivedAtMs }: Payment, { appendedAtMs }: AppendTime): number {
  return appendedAtMs - receivedAtMs > appendLateMs ? appendedAtMs : receivedAtMs;
}

export interface DateChecks {
  readonly reasons: readonly Reason[];
  /** Returns the dates of the verdict, once it is known whether any check refuses the payment. */
  verdict(isRefused: boolean): VerdictDates;
}

export function checkDates(payment: Payment, atMs: number): DateChecks {
  const { flow, scheme } = payment;
  if (flow === "credit") return { reasons: [], verdict: () => creditDates(scheme, atMs) };
  const date = debitDate(payment, atMs);
  const reasons = "refused" in date ? [{ code: date.refused, text: `calendar/${scheme.times.calendar.version} ${date.text}` }] : [];
  return { reasons, verdict: (isRefused) => debitDates(date, isRefused, scheme, atMs) };
}

function debitDate({ flow, scheme, bank, requestedCollectionDate, settlementDate }: Payment, atMs: number): BusinessDate {
  if (flow === "off-us") return offUsBusinessDate(scheme.times, atMs, settlementDate);
  const onNonWorkingDay = bank?.onNonWorkingDay ?? "refuse";
  return onUsBusinessDate(scheme.times, atMs, { requestedCollectionDate, settlementDate, onNonWorkingDay });
}

/** #2 */
function debitDates(date: BusinessDate, isRefused: boolean, scheme: Scheme, atMs: number): VerdictDates {
  if (!("refused" in date) && !isRefused) return { ...date, reconciliationDay: dayKey(scheme.id, date.businessDate), deadlineMs: null };
  const close = firstReconciliationCloseAfter(scheme.times, atMs, reportTimeMinMs);
  const reconciliationDay = dayKey(scheme.id, close.businessDate);
  if (!("refused" in date)) return { ...date, reconciliationDay, deadlineMs: null };
  const { businessDate } = close;
  return { businessDate, reconciliationDay, subService: subServiceFor(scheme.times, atMs, businessDate), deadlineMs: null };
}

/** #3 */
function creditDates({ times, creditDeadlineMs }: Scheme, atMs: number): VerdictDates {
  const businessDate = creditBusinessDate(times.calendar, atMs);
  return {
    businessDate,
    reconciliationDay: null,
    subService: subServiceFor(times, atMs, businessDate),
    deadlineMs: atMs + creditDeadlineMs,
  };
}
