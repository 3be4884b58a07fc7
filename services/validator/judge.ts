// The verdict on one debit: accounts, amount, dates, banks. A pure function of the record, its place in the log, the
// configuration and the rules' data, so that a repeat of the record gives the same verdict again.
//
// #1 Every failing rule is named, with its id and the version of its data; no text repeats a value of the message.
// #2 Dates are judged at receipt; at the append time where that is more than 60 s later.
// #3 A refused debit keeps its date, and ends with the first reconciliation close at least an hour after receipt; where the
//    date itself was refused, that close's date becomes its business date.

import { businessDateOf, firstReconciliationCloseAfter, subServiceOf } from "@sluice/calendar";
import type { BusinessDate, SubService } from "@sluice/calendar";
import { bankOfAgent, schemeOf } from "@sluice/config";
import type { Bank, Configuration, Scheme } from "@sluice/config";
import type { AccountVerified, Amount, DirectDebitReceived, Reason } from "@sluice/contracts";
import type { CdvData } from "@sluice/account-validation";
import { dayKey } from "@sluice/domain";
import { assert } from "@sluice/runtime";
import { checkAccounts } from "./check-accounts.ts";

/** Append time of the record judged, by the log. */
export interface JudgedPlace {
  readonly appendedAtMs: number;
}

const appendLateMs = 60_000;
const reportTimeMinMs = 3_600_000;

export function judge(received: DirectDebitReceived, place: JudgedPlace, configuration: Configuration, data: CdvData): AccountVerified {
  const { debit } = received;
  const scheme = schemeOf(configuration, debit.paymentScheme.schema);
  assert(scheme !== undefined, "ingress takes debits of configured schemes only");
  const receiver = bankOfAgent(configuration.banks, debit.debtorAgent);
  const bank = receiver.kind === "known" ? receiver.bank : null;
  const accounts = checkAccounts(debit, configuration, data);
  const atMs = receiptMs(received, place);
  const date = businessDateOf(scheme.times, atMs, {
    requestedCollectionDate: debit.requestedCollectionDate,
    settlementDate: debit.settlementDate,
    onNonWorkingDay: bank?.onNonWorkingDay ?? "refuse",
  });
  const reasons = [
    ...checkBank(bank, configuration),
    ...accounts.reasons,
    ...checkAmount(debit.amounts.bankSettlementAmount, scheme, configuration),
    ...checkDate(date, scheme),
  ];
  const dates = reasons.length === 0 ? acceptedDates(date, scheme) : refusedDates(date, scheme, atMs);
  return {
    sender: received.sender,
    messageIdentification: debit.messageIdentifiers.messageIdentification,
    contentHash: received.contentHash,
    verdict: reasons.length === 0 ? "ACCEPTED" : "REFUSED",
    reasons,
    decisions: accounts.decisions,
    bank: bank?.id ?? received.sender,
    ...dates,
    calendarVersion: scheme.times.calendar.version,
  };
}

/** #2 */
function receiptMs({ receivedAtMs }: DirectDebitReceived, { appendedAtMs }: JudgedPlace): number {
  return appendedAtMs - receivedAtMs > appendLateMs ? appendedAtMs : receivedAtMs;
}

/** A bank that left the configuration after its debit was taken is as one that is blocked. */
function checkBank(bank: Bank | null, configuration: Configuration): readonly Reason[] {
  if (bank !== null && !bank.isBlocked) return [];
  return [{ code: "AG01", text: `configuration/${configuration.version} ${bank === null ? "unknown-bank" : "bank-blocked"}` }];
}

function checkAmount(amount: Amount, scheme: Scheme, configuration: Configuration): readonly Reason[] {
  const rule = `scheme/${configuration.version}`;
  return [
    ...(amount.value === 0n ? [{ code: "AM01", text: `${rule} zero-amount` }] : []),
    ...(scheme.currencies.includes(amount.currency) ? [] : [{ code: "AM03", text: `${rule} currency` }]),
  ];
}

function checkDate(date: BusinessDate, scheme: Scheme): readonly Reason[] {
  return "refused" in date ? [{ code: date.refused, text: `calendar/${scheme.times.calendar.version} ${date.text}` }] : [];
}

interface Dates {
  readonly businessDate: string;
  readonly closesWith: string;
  readonly subService: SubService;
}

function acceptedDates(date: BusinessDate, scheme: Scheme): Dates {
  assert(!("refused" in date), "a refused date is a reason");
  return { ...date, closesWith: dayKey(scheme.id, date.businessDate) };
}

/** #3 */
function refusedDates(date: BusinessDate, scheme: Scheme, atMs: number): Dates {
  const close = firstReconciliationCloseAfter(scheme.times, atMs, reportTimeMinMs);
  const closesWith = dayKey(scheme.id, close.businessDate);
  if (!("refused" in date)) return { ...date, closesWith };
  const { businessDate } = close;
  return { businessDate, closesWith, subService: subServiceOf(scheme.times, atMs, businessDate) };
}
