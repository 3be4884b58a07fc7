// Event postings of class ESM_STATE: the same state as a payment record, for banks that match by account and amount.
//
// 1. Homing is the side that the bank acts on: the debtor of a debit, the creditor of a credit; user is the other side.
// 2. The amount is in minor units of its currency, as an integer, never through a double.
// 3. Members without a source are left out, and with `eventPayload: none` the whole record. `masked` as in the other class.

import type { EventOutput } from "@sluice/domain";
import { assert } from "@sluice/runtime";
import { amountScale } from "./amount.ts";
import { sha256Hex } from "./canonical-json.ts";
import { esmEventText } from "./event-writers.ts";
import type { PaymentRecord } from "./event-writers.ts";
import type * as wire from "./generated/records.ts";
import { minorUnitsOf } from "./iso-4217.ts";
import { maskedAccountNumber } from "./mask-message.ts";
import { isCredit, messageIn } from "./received-message.ts";
import type { Received } from "./received-message.ts";
import { apiVersion, transactionInfoOf } from "./render-event.ts";
import type { EventShape } from "./render-event.ts";
import { utcText } from "./render-message.ts";
import type { MessageSources } from "./render-message.ts";
import { shownState } from "./state-table.ts";

/** `webhook-id` of the posting; the UETR in lower case. */
export function esmEventId(uetr: string, stageVersion: number): string {
  return sha256Hex(`sluice:esm:${uetr}:${stageVersion}`).slice(0, 32);
}

export function renderEsmEventBody(output: EventOutput, sources: MessageSources, options: Pick<EventShape, "eventPayload">): Uint8Array {
  const { received } = sources;
  const record = recordOf(received, output.businessDate);
  const { endToEndIdentification, transactionIdentification, uetr } = messageIn(received).transactionIdentifiers;
  const text = esmEventText({
    apiVersion,
    class: "ESM_STATE",
    actionDate: output.businessDate,
    creationDateTime: utcText(output.enteredAtMs),
    eftDataRecord: options.eventPayload === "none" ? null : options.eventPayload === "masked" ? maskedRecord(record) : record,
    identifiers: { endToEndIdentification, matchingKey: matchingKeyOf(record), transactionIdentification, uetr },
    state: shownState(output, sources),
    transactionInfo: transactionInfoOf(output, sources),
  });
  return new TextEncoder().encode(text);
}

/** SHA-256, hex, over homing branch, account, amount (minor units), action date and user reference, joined by `|`; what is missing is empty. */
function matchingKeyOf(record: PaymentRecord): string {
  const { homingBranch, homingAccount, amount, actionDate, userReference } = record;
  return sha256Hex([homingBranch, homingAccount, amount, actionDate, userReference].map((part) => part ?? "").join("|"));
}

interface Side {
  readonly account: wire.PaymentAccount | null;
  readonly party: wire.Party | wire.CreditParty | null;
  readonly agent: wire.Institution;
}

function recordOf(received: Received, businessDate: string): PaymentRecord {
  const message = messageIn(received);
  const debtor: Side = { account: message.debtorAccount, party: message.debtor, agent: message.debtorAgent };
  const creditor: Side = { account: message.creditorAccount, party: message.creditor, agent: message.creditorAgent };
  const [homing, user] = isCredit(received) ? [creditor, debtor] : [debtor, creditor];
  return {
    recordIdentifier: isCredit(received) ? "CREDIT" : "DEBIT",
    actionDate: businessDate,
    amount: minorUnitsText(message.amounts.bankSettlementAmount),
    homingAccount: numberOf(homing.account),
    homingAccountName: homing.account?.name ?? homing.party?.legalName ?? null,
    homingBranch: homing.agent.branch?.identification ?? null,
    homingInstitution: homing.agent.memberId,
    userAccount: numberOf(user.account),
    userBranch: user.agent.branch?.identification ?? null,
    userReference: message.paymentScheme.schemeData?.userReference ?? null,
  };
}

function numberOf(account: wire.PaymentAccount | null): string | null {
  return account?.identification?.value ?? null;
}

/** 125050 of 1250.50 ZAR. */
function minorUnitsText({ value, currency }: wire.Amount): string {
  const digits = minorUnitsOf(currency);
  assert(digits !== null, "an accepted amount is of an active currency");
  const divisor = 10n ** BigInt(amountScale - digits);
  assert(value % divisor === 0n, "an accepted amount fits the minor units of its currency");
  return String(value / divisor);
}

function maskedRecord(record: PaymentRecord): PaymentRecord {
  return {
    ...record,
    homingAccount: record.homingAccount === null ? null : maskedAccountNumber(record.homingAccount),
    homingAccountName: null,
    userAccount: record.userAccount === null ? null : maskedAccountNumber(record.userAccount),
    userReference: null,
  };
}
