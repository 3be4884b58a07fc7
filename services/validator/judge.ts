// The verdict on one debit or credit: accounts, amount, limits, dates, banks. A pure function of the record, its place in the
// log, the configuration and the rule book, so that a repeat of the record gives the same verdict again.
//
// #1 Every failing rule is named, with its id and the version of its data; no text repeats a value of the message.
// #2 What is taken from configuration stands in the verdict; nobody after it looks there.

import type { RuleBook } from "@sluice/account-validation";
import { localDate } from "@sluice/calendar";
import type { Configuration } from "@sluice/config";
import type { AccountVerified } from "@sluice/contracts";
import { checkAccounts } from "./check-accounts.ts";
import { checkAmount, checkBlocked } from "./check-configured.ts";
import { judgeDates, receiptMs } from "./judge-dates.ts";
import type { JudgedPlace } from "./judge-dates.ts";
import { paymentIn } from "./payment.ts";
import type { ReceivedPayment } from "./payment.ts";

/** Throws where nobody can judge it: its scheme is not configured. */
export function judge(received: ReceivedPayment, place: JudgedPlace, configuration: Configuration, book: RuleBook): AccountVerified {
  const payment = paymentIn(received, configuration);
  const { flow, scheme, bank, bankId, sides, sender, messageIdentification, contentHash } = payment;
  const { accountRule, times } = scheme;
  const atMs = receiptMs(payment, place);
  const { refuseOn } = configuration.cdv;
  const accounts = checkAccounts(sides, { book, accountRule, refuseOn, onDate: localDate(times, atMs) });
  const dates = judgeDates(payment, atMs);
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
    rollsMax: flow !== "credit" && scheme.onMissedWindow === "roll" ? scheme.maxRolls : 0,
    onUsOutcomeReport: flow === "on-us" && bank?.onUsOutcomeReport === true,
  };
}
