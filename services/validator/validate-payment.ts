// The verdict on one debit or credit: accounts, amount, limits, dates and banks. It is a pure function of the record,
// its append time, the configuration and the rule book, so a repeat of the record gives the same verdict.
//
// #1 Every failing rule is named, with its id and the version of its data; no text repeats a value of the message.
// #2 The verdict contains everything that is taken from the configuration; no later service reads it there.

import type { RuleBook } from "@sluice/account-validation";
import { localDate } from "@sluice/calendar";
import type { Configuration } from "@sluice/config";
import type { AccountVerified } from "@sluice/contracts";
import { checkAccounts } from "./check-accounts.ts";
import { checkAmount, checkBlocked } from "./check-configuration.ts";
import { type AppendTime, checkDates, receiptMs } from "./check-dates.ts";
import { collectPaymentParts, type ReceivedPayment } from "./payment.ts";

/** Throws if the payment cannot be validated because its scheme is not configured. */
export function validatePayment(
  received: ReceivedPayment,
  place: AppendTime,
  configuration: Configuration,
  book: RuleBook,
): AccountVerified {
  const payment = collectPaymentParts(received, configuration);
  const { flow, scheme, bank, bankId, sides, sender, messageIdentification, contentHash } = payment;
  const { accountRule, times } = scheme;
  const atMs = receiptMs(payment, place);
  const { refuseOn } = configuration.cdv;
  const accounts = checkAccounts(sides, { book, accountRule, refuseOn, onDate: localDate(times, atMs) });
  const dates = checkDates(payment, atMs);
  const reasons = [...checkBlocked(payment, configuration), ...accounts.reasons, ...checkAmount(payment, configuration), ...dates.reasons];
  const isRefused = reasons.length > 0;
  return {
    sender,
    messageIdentification,
    contentHash,
    verdict: isRefused ? "REFUSED" : "ACCEPTED",
    reasons,
    decisions: accounts.decisions,
    bank: bankId,
    ...dates.verdict(isRefused),
    calendarVersion: times.calendar.version,
    carryOversMax: flow !== "credit" && scheme.onMissedWindow === "carry-over" ? scheme.carryOversMax : 0,
    onUsOutcomeReport: flow === "on-us" && bank?.onUsOutcomeReport === true,
  };
}
