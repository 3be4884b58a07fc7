// For tests, also of other packages (`@sluice/contracts/given-messages`): arbitrary messages of each kind, as parsed JSON. `any…`
// has its optional members by chance, `full…` has every one. All of them are accepted by the readers. `given-refused.ts` makes
// messages of them that are not.

import * as fc from "fast-check";
import { amount, date, identifier, list, partsOf, text, textOrNumber } from "./given-parts.ts";
import type { Optional } from "./given-parts.ts";
import type { Json } from "./json.ts";

export * from "./given-json.ts";
export { anyRefused } from "./given-refused.ts";
export type { RefusedMessage } from "./given-refused.ts";

const shortened = fc.constant("00012345678");
const userReference = fc.oneof(identifier(30), fc.constantFrom(" ", "~".repeat(30), "KAROOINS  POLICY 88123"));

function directDebit(optional: Optional): fc.Arbitrary<Json> {
  const parts = partsOf(optional);
  const { member } = parts;
  const schemeShape = { userReference, shortenedDebtorAccountNumber: shortened, shortenedCreditorAccountNumber: shortened };
  const mandate = {
    mandateIdentification: identifier(35),
    dateOfSignature: date,
    firstCollectionDate: date,
    finalCollectionDate: date,
    electronicSignature: text(1025),
    frequency: text(35),
    reason: parts.code,
    trackingDays: fc.oneof(
      text(35, 1),
      textOrNumber.filter((value) => typeof value === "symbol"),
    ),
  };
  return member(
    {
      schema: fc.constant("DirectDebit"),
      messageIdentifiers: parts.messageIdentifiers,
      supplementaryData: parts.pairs,
      transactionIdentifiers: parts.transactionIdentifiers,
      amounts: parts.amounts,
      creditor: parts.party,
      creditorAccount: parts.account,
      creditorAgent: parts.institution,
      debtor: parts.party,
      debtorAccount: parts.account,
      debtorAgent: parts.institution,
      instructedAgent: parts.institution,
      instructingAgent: parts.institution,
      intermediaryAgents: list(parts.institution, 3),
      mandateInformation: member(mandate, []),
      paymentScheme: fc.record({ schema: fc.constant("ZA_EFT"), schemeData: member(schemeShape, ["userReference"]) }),
      paymentTypeInformation: parts.paymentTypeInformation,
      purpose: parts.code,
      remittanceInformation: parts.remittanceInformation,
      requestedCollectionDate: date,
      sequenceType: fc.constantFrom("FRST", "RCUR", "FNAL", "OOFF", "RPRE"),
      settlementDate: date,
    },
    requiredOf.DirectDebit,
  );
}

function creditTransfer(optional: Optional): fc.Arbitrary<Json> {
  const parts = partsOf(optional);
  const { member } = parts;
  const schemeData = member({ userReference: text(140), originatorEchoData: text(140), businessReference: text(140) }, []);
  return member(
    {
      schema: fc.constant("CreditTransfer"),
      messageIdentifiers: parts.messageIdentifiers,
      supplementaryData: parts.pairs,
      paymentScheme: member({ schema: fc.constantFrom("ZA_EFT", "ZA_RTC", "ZA_RPP"), schemeData }, ["schema"]),
      transactionIdentifiers: parts.transactionIdentifiers,
      amounts: parts.amounts,
      paymentTypeInformation: parts.paymentTypeInformation,
      creditor: parts.creditParty,
      debtor: parts.creditParty,
      creditorAccount: parts.account,
      debtorAccount: parts.account,
      creditorAgent: parts.institution,
      debtorAgent: parts.institution,
      instructingAgent: parts.institution,
      instructedAgent: parts.institution,
      instructionForCreditorAgent: list(member({ code: text(35), information: text(140) }, []), 3),
      intermediaryAgents: list(parts.institution, 3),
      previousInstructingAgents: list(parts.institution, 3),
      purpose: parts.code,
      remittanceInformation: parts.remittanceInformation,
      tax: member({ totalAmount: amount }, []),
    },
    requiredOf.CreditTransfer,
  );
}

function statusReport(optional: Optional): fc.Arbitrary<Json> {
  const parts = partsOf(optional);
  const { member } = parts;
  const original = {
    amounts: parts.amounts,
    creditor: parts.creditParty,
    creditorAccount: parts.account,
    creditorAgent: parts.institution,
    debtor: parts.creditParty,
    debtorAccount: parts.account,
    debtorAgent: parts.institution,
    paymentMethod: text(35, 1),
    settlementDate: date,
    requestedCollectionDate: date,
    remittanceInformation: parts.remittanceInformation,
  };
  return member(
    {
      schema: fc.constant("PaymentStatusReport"),
      messageIdentifiers: parts.messageIdentifiers,
      supplementaryData: parts.pairs,
      originalMessageIdentifiers: parts.messageIdentifiers,
      transactionIdentifiers: parts.transactionIdentifiers,
      instructedAgent: parts.institution,
      instructingAgent: parts.institution,
      originalTransactionData: member(original, []),
      paymentScheme: fc.constantFrom("ZA_EFT", "ZA_RTC", "ZA_RPP").map((schema) => ({ schema })),
      status: status(optional),
    },
    requiredOf.PaymentStatusReport,
  );
}

const statuses = [
  ["ACCP", "APPROVED"],
  ["ACSP", "APPROVED"],
  ["ACSC", "APPROVED"],
  ["ACCC", "APPROVED"],
  ["RJCT", "REJECTED"],
  ["PDNG", "PENDING"],
  ["CANC", "CANCELLED"],
] as const;

function status(optional: Optional): fc.Arbitrary<Json> {
  const { member, code } = partsOf(optional);
  const reasons = list(member({ reason: code, additionalInformation: text(500) }, []), 3);
  const givens = optional === "always" ? (["both"] as const) : (["both", "code", "outcome"] as const);
  return fc
    .tuple(
      fc.constantFrom(...statuses),
      fc.constantFrom(...givens),
      optional === "always" ? reasons : fc.option(reasons, { nil: undefined }),
    )
    .map(([[statusCode, outcome], given, reasonInfo]) => ({
      ...(given === "outcome" ? {} : { code: statusCode }),
      ...(given === "code" ? {} : { outcome }),
      ...(reasonInfo === undefined ? {} : { reasonInfo }),
    }));
}

/** Members that decisions section 5 and 6 require. */
export const requiredOf = {
  DirectDebit: [
    "schema",
    "messageIdentifiers",
    "transactionIdentifiers",
    "amounts",
    "creditor",
    "creditorAgent",
    "debtor",
    "debtorAccount",
    "debtorAgent",
    "paymentScheme",
  ],
  CreditTransfer: [
    "schema",
    "messageIdentifiers",
    "transactionIdentifiers",
    "amounts",
    "creditorAccount",
    "creditorAgent",
    "debtorAgent",
    "paymentScheme",
  ],
  PaymentStatusReport: ["schema", "messageIdentifiers", "originalMessageIdentifiers", "transactionIdentifiers", "paymentScheme", "status"],
  CreditsFinal: ["scheme", "businessDate"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export const anyDirectDebit = directDebit("by chance");
export const fullDirectDebit = directDebit("always");
export const anyCreditTransfer = creditTransfer("by chance");
export const fullCreditTransfer = creditTransfer("always");
export const anyStatusReport = statusReport("by chance");
export const fullStatusReport = statusReport("always");
export const anyCreditsFinal: fc.Arbitrary<Json> = fc.record({ scheme: fc.constantFrom("ZA_EFT", "ZA_RTC", "ZA_RPP"), businessDate: date });
