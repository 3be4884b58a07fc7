// Event postings of class ESM_STATE: the same state as a payment record, for banks that match by account and amount.
//
// #1 The homing side is the side that the bank acts for: the debtor of a debit, the creditor of a credit. The user is
//    the other side.
// #2 The amount is an integer in minor units of its currency and never goes through a double.
// #3 Members without a source are left out, and with `eventPayload: none` the whole record is. `masked` works as in the
//    other class.

import type { EventOutput } from "@sluice/domain";
import { assert } from "@sluice/kernel";
import { amountScale } from "../json/amount.ts";
import { encodeTexts } from "../json/encode-texts.ts";
import { sha256Hex } from "../json/canonical-json.ts";
import { esmEventText, type PaymentRecord } from "./event-writers.ts";
import type * as wire from "../../generated/records.ts";
import { minorUnitDigits } from "../read/iso-4217.ts";
import { maskAccountNumber } from "./mask-message.ts";
import { isCreditRecord, messageFromRecord, type PaymentReceived } from "../../wire/payment-received.ts";
import { actionDate, apiVersion, buildTransactionInfo, type EventShape } from "./render-event.ts";
import type { MessageSources } from "./message-sources.ts";
import { utcText } from "./render-message.ts";
import { shownState } from "./state-table.ts";

/** The `webhook-id` of the posting; the UETR is in lower case. */
export function buildEsmEventId(uetr: string, stageVersion: number): string {
  return sha256Hex(`sluice:esm:${uetr}:${stageVersion}`).slice(0, 32);
}

export function renderEsmEventBody(output: EventOutput, sources: MessageSources, options: Pick<EventShape, "eventPayload">): Uint8Array {
  const { received } = sources;
  const date = actionDate(output, received);
  const record = buildRecord(received, date);
  const { endToEndIdentification, transactionIdentification, uetr } = messageFromRecord(received).transactionIdentifiers;
  const text = esmEventText({
    apiVersion,
    class: "ESM_STATE",
    actionDate: date,
    creationDateTime: utcText(output.enteredAtMs),
    eftDataRecord: options.eventPayload === "none" ? null : options.eventPayload === "masked" ? maskedRecord(record) : record,
    identifiers: { endToEndIdentification, matchingKey: computeMatchingKey(record), transactionIdentification, uetr },
    state: shownState(output, sources),
    transactionInfo: buildTransactionInfo(output, sources),
  });
  return encodeTexts(text);
}

/**
 * Computes the SHA-256, in hex, of homing branch, account, amount (minor units), action date and user reference, joined
 * by `|`; a missing part is empty.
 */
function computeMatchingKey(record: PaymentRecord): string {
  const { homingBranch, homingAccount, amount, actionDate, userReference } = record;
  return sha256Hex([homingBranch, homingAccount, amount, actionDate, userReference].map((part) => part ?? "").join("|"));
}

interface Side {
  readonly account: wire.PaymentAccount | null;
  readonly party: wire.Party | wire.CreditParty | null;
  readonly agent: wire.Institution;
}

function buildRecord(received: PaymentReceived, businessDate: string): PaymentRecord {
  const message = messageFromRecord(received);
  const debtor: Side = { account: message.debtorAccount, party: message.debtor, agent: message.debtorAgent };
  const creditor: Side = { account: message.creditorAccount, party: message.creditor, agent: message.creditorAgent };
  const [homing, user] = isCreditRecord(received) ? [creditor, debtor] : [debtor, creditor];
  return {
    recordIdentifier: isCreditRecord(received) ? "CREDIT" : "DEBIT",
    actionDate: businessDate,
    amount: minorUnitsText(message.amounts.bankSettlementAmount),
    homingAccount: accountNumber(homing.account),
    homingAccountName: homing.account?.name ?? homing.party?.legalName ?? null,
    homingBranch: homing.agent.branch?.identification ?? null,
    homingInstitution: homing.agent.memberId,
    userAccount: accountNumber(user.account),
    userBranch: user.agent.branch?.identification ?? null,
    userReference: message.paymentScheme.schemeData?.userReference ?? null,
  };
}

function accountNumber(account: wire.PaymentAccount | null): string | null {
  return account?.identification?.value ?? null;
}

/** Formats 1250.50 ZAR as 125050. */
function minorUnitsText({ value, currency }: wire.Amount): string {
  const digits = minorUnitDigits(currency);
  assert(digits !== null, "an accepted amount is of an active currency");
  const divisor = 10n ** BigInt(amountScale - digits);
  assert(value % divisor === 0n, "an accepted amount fits the minor units of its currency");
  return String(value / divisor);
}

function maskedRecord(record: PaymentRecord): PaymentRecord {
  return {
    ...record,
    homingAccount: record.homingAccount === null ? null : maskAccountNumber(record.homingAccount),
    homingAccountName: null,
    userAccount: record.userAccount === null ? null : maskAccountNumber(record.userAccount),
    userReference: null,
  };
}
