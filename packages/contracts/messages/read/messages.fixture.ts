// Test fixture, also for other packages (`@sluice/contracts/messages.fixture`): arbitrary messages of each kind, as
// parsed JSON. `any…` draws optional members at random, `anyFull…` has every member. The readers accept all of them;
// `refused.fixture.ts` derives messages that they refuse.

import * as fc from "fast-check";
import {
  anyAmount,
  anyDate,
  anyIdentifier,
  anyList,
  anyParts,
  anyText,
  anyTextOrNumber,
  type OptionalMembers,
} from "./message-parts.fixture.ts";
import type { Json } from "../json/json.ts";

export * from "../json/json.fixture.ts";
export { anyRefused } from "./refused.fixture.ts";
export type { RefusedMessage } from "./refused.fixture.ts";

const shortened = fc.constant("00012345678");
const userReference = fc.oneof(anyIdentifier(30), fc.constantFrom(" ", "~".repeat(30), "KAROOINS  POLICY 88123"));

function directDebit(optional: OptionalMembers): fc.Arbitrary<Json> {
  const parts = anyParts(optional);
  const { member } = parts;
  const schemeShape = { userReference, shortenedDebtorAccountNumber: shortened, shortenedCreditorAccountNumber: shortened };
  const mandate = {
    mandateIdentification: anyIdentifier(35),
    dateOfSignature: anyDate,
    firstCollectionDate: anyDate,
    finalCollectionDate: anyDate,
    electronicSignature: anyText(1025),
    frequency: anyText(35),
    reason: parts.code,
    trackingDays: fc.oneof(
      anyText(35, 1),
      anyTextOrNumber.filter((value) => typeof value === "symbol"),
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
      intermediaryAgents: anyList(parts.institution, 3),
      mandateInformation: member(mandate, []),
      paymentScheme: fc.record({ schema: fc.constant("ZA_EFT"), schemeData: member(schemeShape, ["userReference"]) }),
      paymentTypeInformation: parts.paymentTypeInformation,
      purpose: parts.code,
      remittanceInformation: parts.remittanceInformation,
      requestedCollectionDate: anyDate,
      sequenceType: fc.constantFrom("FRST", "RCUR", "FNAL", "OOFF", "RPRE"),
      settlementDate: anyDate,
    },
    requiredMembers.DirectDebit,
  );
}

function creditTransfer(optional: OptionalMembers): fc.Arbitrary<Json> {
  const parts = anyParts(optional);
  const { member } = parts;
  const schemeData = member({ userReference: anyText(140), originatorEchoData: anyText(140), businessReference: anyText(140) }, []);
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
      instructionForCreditorAgent: anyList(member({ code: anyText(35), information: anyText(140) }, []), 3),
      intermediaryAgents: anyList(parts.institution, 3),
      previousInstructingAgents: anyList(parts.institution, 3),
      purpose: parts.code,
      remittanceInformation: parts.remittanceInformation,
      tax: member({ totalAmount: anyAmount }, []),
    },
    requiredMembers.CreditTransfer,
  );
}

function statusReport(optional: OptionalMembers): fc.Arbitrary<Json> {
  const parts = anyParts(optional);
  const { member } = parts;
  const original = {
    amounts: parts.amounts,
    creditor: parts.creditParty,
    creditorAccount: parts.account,
    creditorAgent: parts.institution,
    debtor: parts.creditParty,
    debtorAccount: parts.account,
    debtorAgent: parts.institution,
    paymentMethod: anyText(35, 1),
    settlementDate: anyDate,
    requestedCollectionDate: anyDate,
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
    requiredMembers.PaymentStatusReport,
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

function status(optional: OptionalMembers): fc.Arbitrary<Json> {
  const { member, code } = anyParts(optional);
  const reasons = anyList(member({ reason: code, additionalInformation: anyText(500) }, []), 3);
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

/** The members that docs/spec/decisions.md D5 and D6 require. */
export const requiredMembers = {
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
export const anyFullDirectDebit = directDebit("always");
export const anyCreditTransfer = creditTransfer("by chance");
export const anyFullCreditTransfer = creditTransfer("always");
export const anyStatusReport = statusReport("by chance");
export const anyFullStatusReport = statusReport("always");
export const anyCreditsFinal: fc.Arbitrary<Json> = fc.record({
  scheme: fc.constantFrom("ZA_EFT", "ZA_RTC", "ZA_RPP"),
  businessDate: anyDate,
});
