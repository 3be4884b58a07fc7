// Good messages with the members that they may have beside those of `builders.ts`. What finds the bank and the account is as in the
// builders, so a full message goes the same way as a plain one; `options` are the builders' own.

import type { Random } from "@sluice/runtime";
import {
  creditTransfer,
  directDebit,
  rawNumber,
  statusReport,
  type CreditTransferOptions,
  type DirectDebitOptions,
  type Json,
  type JsonObject,
  type StatusReportOptions,
} from "./builders.ts";
import {
  accountMembers,
  amountOf,
  branchMembers,
  code,
  identifier,
  institution,
  institutionMembers,
  listOf,
  oneOf,
  party,
  partyMembers,
  remittanceInformation,
  some,
  supplementaryData,
  text,
  type Draw,
} from "./full-parts.ts";

/** Of what is optional; 1: all of it. */
const shareDefault = 0.75;
const agentsMax = 3;

/** On-us; off-us with the `creditorBranch` of another bank. */
export function fullDirectDebit(random: Random, options: Partial<DirectDebitOptions> = {}, share = shareDefault): JsonObject {
  const draw: Draw = { random, share };
  const plain = directDebit({ ...options, members: {} });
  return {
    ...plain,
    ...filledSides(draw, plain),
    transactionIdentifiers: filled(plain["transactionIdentifiers"], transactionMembers(draw)),
    paymentScheme: { schema: "ZA_EFT", schemeData: zaEftData(draw) },
    sequenceType: oneOf(draw, "FRST", "RCUR", "FNAL", "OOFF", "RPRE"),
    ...some(draw, {
      supplementaryData: () => supplementaryData(draw),
      instructedAgent: () => institution(draw),
      instructingAgent: () => institution(draw),
      intermediaryAgents: () => listOf(draw, agentsMax, () => institution(draw)),
      mandateInformation: () => mandate(draw),
      paymentTypeInformation: () => paymentTypeInformation(draw),
      purpose: () => code(draw),
      remittanceInformation: () => remittanceInformation(draw),
    }),
    ...options.members,
  };
}

export function fullCreditTransfer(random: Random, options: Partial<CreditTransferOptions> = {}, share = shareDefault): JsonObject {
  const draw: Draw = { random, share };
  const plain = creditTransfer({ ...options, members: {} });
  return {
    ...plain,
    ...filledSides(draw, plain),
    transactionIdentifiers: filled(plain["transactionIdentifiers"], transactionMembers(draw)),
    paymentScheme: { schema: options.scheme ?? "ZA_EFT", schemeData: creditSchemeData(draw) },
    ...some(draw, {
      supplementaryData: () => supplementaryData(draw),
      instructedAgent: () => institution(draw),
      instructingAgent: () => institution(draw),
      intermediaryAgents: () => listOf(draw, agentsMax, () => institution(draw)),
      previousInstructingAgents: () => listOf(draw, agentsMax, () => institution(draw)),
      instructionForCreditorAgent: () =>
        listOf(draw, 2, () => some(draw, { code: () => oneOf(draw, "HOLD", "PHOB"), information: () => text(draw, 140) })),
      paymentTypeInformation: () => some(draw, { localInstrument: () => code(draw) }),
      purpose: () => code(draw),
      remittanceInformation: () => remittanceInformation(draw),
      tax: () => some(draw, { totalAmount: () => amountOf(draw) }),
    }),
    ...options.members,
  };
}

export function fullStatusReport(random: Random, options: Partial<StatusReportOptions> = {}, share = shareDefault): JsonObject {
  const draw: Draw = { random, share };
  const plain = statusReport({ ...options, members: {} });
  const original = directDebit();
  return {
    ...plain,
    ...some(draw, {
      supplementaryData: () => supplementaryData(draw),
      instructedAgent: () => institution(draw),
      instructingAgent: () => institution(draw),
      originalTransactionData: () =>
        some(draw, {
          amounts: () => ({ bankSettlementAmount: amountOf(draw), ...some(draw, { instructedAmount: () => amountOf(draw) }) }),
          creditor: () => party(draw),
          creditorAccount: () => filled(original["creditorAccount"], accountMembers(draw)),
          creditorAgent: () => institution(draw),
          debtor: () => party(draw),
          debtorAccount: () => filled(original["debtorAccount"], accountMembers(draw)),
          debtorAgent: () => institution(draw),
          paymentMethod: () => "DD",
          settlementDate: () => "2026-11-20",
          requestedCollectionDate: () => "2026-11-20",
          remittanceInformation: () => remittanceInformation(draw),
        }),
    }),
    ...options.members,
  };
}

/** Parties, accounts and agents of both sides, with more about them. */
function filledSides(draw: Draw, plain: JsonObject): JsonObject {
  const side = (name: "creditor" | "debtor"): JsonObject => {
    const agent = filled(plain[`${name}Agent`], institutionMembers(draw));
    return {
      [name]: filled(plain[name], partyMembers(draw)),
      [`${name}Account`]: filled(plain[`${name}Account`], accountMembers(draw)),
      [`${name}Agent`]: { ...agent, branch: filled(agent["branch"], branchMembers(draw)) },
    };
  };
  return { ...side("creditor"), ...side("debtor") };
}

function filled(part: Json | undefined, members: JsonObject): JsonObject {
  return isObject(part) ? { ...part, ...members } : members;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function transactionMembers(draw: Draw): JsonObject {
  return some(draw, {
    transactionIdentification: () => identifier(draw, 35),
    instructionIdentification: () => identifier(draw, 35),
  });
}

function zaEftData(draw: Draw): JsonObject {
  return {
    userReference: `KAROOINS ${identifier(draw, 20)}`,
    ...some(draw, { shortenedDebtorAccountNumber: () => "62000000014", shortenedCreditorAccountNumber: () => "62001872440" }),
  };
}

function creditSchemeData(draw: Draw): JsonObject {
  return some(draw, {
    userReference: () => `SALARY ${identifier(draw, 20)}`,
    originatorEchoData: () => identifier(draw, 35),
    businessReference: () => identifier(draw, 35),
  });
}

function paymentTypeInformation(draw: Draw): JsonObject {
  return some(draw, {
    categoryPurpose: () => code(draw),
    localInstrument: () => code(draw),
    serviceLevel: () => listOf(draw, 2, () => code(draw)),
  });
}

function mandate(draw: Draw): JsonObject {
  return some(draw, {
    mandateIdentification: () => identifier(draw, 35),
    dateOfSignature: () => "2025-02-28",
    firstCollectionDate: () => "2026-01-01",
    finalCollectionDate: () => "2028-02-29",
    electronicSignature: () => text(draw, 200),
    frequency: () => "MNTH",
    reason: () => code(draw),
    trackingDays: () => oneOf(draw, rawNumber("3"), "3"),
  });
}
