// The dates of a payment: business date, the close or the deadline that ends it, and which reason a date gives.
//
// #1 Dates are judged at receipt; at the append time where that is more than 60 s later.
// #2 A refused debit keeps its date, and ends with the first reconciliation close at least an hour after receipt; where the
//    date itself was refused, that close's date becomes its business date.
// #3 An off-us debit and a credit are never refused for their date. A credit closes with no day: it has a deadline of its own.

import { businessDateOf, creditBusinessDate, firstReconciliationCloseAfter, offUsBusinessDateOf, subServiceOf } from "@sluice/calendar";
import type { BusinessDate } from "@sluice/calendar";
import type { Scheme } from "@sluice/config";
import type { AccountVerified, Reason } from "@sluice/contracts";
import { dayKey } from "@sluice/domain";
import type { Payment } from "./payment.ts";

export type VerdictDates = Pick<AccountVerified, "businessDate" | "closesWith" | "subService" | "deadlineMs">;

/** Append time of the record judged, by the log. */
export interface JudgedPlace {
  readonly appendedAtMs: number;
}

const appendLateMs = 60_000;
const reportTimeMinMs = 3_600_000;

/** #1 */
export function receiptMs({ receivedAtMs }: Payment, { appendedAtMs }: JudgedPlace): number {
  return appendedAtMs - receivedAtMs > appendLateMs ? appendedAtMs : receivedAtMs;
}

export interface JudgedDates {
  readonly reasons: readonly Reason[];
  /** As the verdict says them, once it is known whether the payment is refused for whatever reason. */
  verdict(isRefused: boolean): VerdictDates;
}

export function judgeDates(payment: Payment, atMs: number): JudgedDates {
  const { flow, scheme } = payment;
  if (flow === "credit") return { reasons: [], verdict: () => creditDates(scheme, atMs) };
  const date = debitDate(payment, atMs);
  const reasons = "refused" in date ? [{ code: date.refused, text: `calendar/${scheme.times.calendar.version} ${date.text}` }] : [];
  return { reasons, verdict: (isRefused) => debitDates(date, isRefused, scheme, atMs) };
}

function debitDate({ flow, scheme, bank, requestedCollectionDate, settlementDate }: Payment, atMs: number): BusinessDate {
  if (flow === "off-us") return offUsBusinessDateOf(scheme.times, atMs, settlementDate);
  const onNonWorkingDay = bank?.onNonWorkingDay ?? "refuse";
  return businessDateOf(scheme.times, atMs, { requestedCollectionDate, settlementDate, onNonWorkingDay });
}

/** #2 */
function debitDates(date: BusinessDate, isRefused: boolean, scheme: Scheme, atMs: number): VerdictDates {
  if (!("refused" in date) && !isRefused) return { ...date, closesWith: dayKey(scheme.id, date.businessDate), deadlineMs: null };
  const close = firstReconciliationCloseAfter(scheme.times, atMs, reportTimeMinMs);
  const closesWith = dayKey(scheme.id, close.businessDate);
  if (!("refused" in date)) return { ...date, closesWith, deadlineMs: null };
  const { businessDate } = close;
  return { businessDate, closesWith, subService: subServiceOf(scheme.times, atMs, businessDate), deadlineMs: null };
}

/** #3 */
function creditDates({ times, creditDeadlineMs }: Scheme, atMs: number): VerdictDates {
  const businessDate = creditBusinessDate(times.calendar, atMs);
  return { businessDate, closesWith: "", subService: subServiceOf(times, atMs, businessDate), deadlineMs: atMs + creditDeadlineMs };
}
