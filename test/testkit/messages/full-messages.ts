// Draws valid messages with optional members in addition to those of `builders.ts`. The members that identify the bank
// and the account are those of the builders, so a full message takes the same path as a plain one. `options` are those
// of the builders.

import type { Random } from "@sluice/kernel";
import {
  buildCreditTransfer,
  buildDirectDebit,
  rawNumber,
  buildStatusReport,
  type CreditTransferOptions,
  type DirectDebitOptions,
  type MessageJson,
  type MessageObject,
  type StatusReportOptions,
} from "./builders.ts";
import {
  drawAccountMembers,
  drawAmount,
  drawBranchMembers,
  drawCode,
  drawIdentifier,
  drawInstitution,
  drawInstitutionMembers,
  drawList,
  drawOneOf,
  drawParty,
  drawPartyMembers,
  drawRemittanceInformation,
  drawSome,
  drawSupplementaryData,
  drawText,
  type Draw,
} from "./full-parts.ts";

/** The share of optional members that a message has; 1 means all of them. */
const shareDefault = 0.75;
const agentsMax = 3;

/** Draws an on-us debit, or an off-us debit if `creditorBranch` is another bank's. */
export function drawFullDirectDebit(random: Random, options: Partial<DirectDebitOptions> = {}, share = shareDefault): MessageObject {
  const draw: Draw = { random, share };
  const plain = buildDirectDebit({ ...options, members: {} });
  return {
    ...plain,
    ...filledSides(draw, plain),
    transactionIdentifiers: filled(plain["transactionIdentifiers"], transactionMembers(draw)),
    paymentScheme: { schema: "ZA_EFT", schemeData: zaEftData(draw) },
    sequenceType: drawOneOf(draw, "FRST", "RCUR", "FNAL", "OOFF", "RPRE"),
    ...drawSome(draw, {
      supplementaryData: () => drawSupplementaryData(draw),
      instructedAgent: () => drawInstitution(draw),
      instructingAgent: () => drawInstitution(draw),
      intermediaryAgents: () => drawList(draw, agentsMax, () => drawInstitution(draw)),
      mandateInformation: () => mandate(draw),
      paymentTypeInformation: () => paymentTypeInformation(draw),
      purpose: () => drawCode(draw),
      remittanceInformation: () => drawRemittanceInformation(draw),
    }),
    ...options.members,
  };
}

export function drawFullCreditTransfer(random: Random, options: Partial<CreditTransferOptions> = {}, share = shareDefault): MessageObject {
  const draw: Draw = { random, share };
  const plain = buildCreditTransfer({ ...options, members: {} });
  return {
    ...plain,
    ...filledSides(draw, plain),
    transactionIdentifiers: filled(plain["transactionIdentifiers"], transactionMembers(draw)),
    paymentScheme: { schema: options.scheme ?? "ZA_EFT", schemeData: creditSchemeData(draw) },
    ...drawSome(draw, {
      supplementaryData: () => drawSupplementaryData(draw),
      instructedAgent: () => drawInstitution(draw),
      instructingAgent: () => drawInstitution(draw),
      intermediaryAgents: () => drawList(draw, agentsMax, () => drawInstitution(draw)),
      previousInstructingAgents: () => drawList(draw, agentsMax, () => drawInstitution(draw)),
      instructionForCreditorAgent: () =>
        drawList(draw, 2, () => drawSome(draw, { code: () => drawOneOf(draw, "HOLD", "PHOB"), information: () => drawText(draw, 140) })),
      paymentTypeInformation: () => drawSome(draw, { localInstrument: () => drawCode(draw) }),
      purpose: () => drawCode(draw),
      remittanceInformation: () => drawRemittanceInformation(draw),
      tax: () => drawSome(draw, { totalAmount: () => drawAmount(draw) }),
    }),
    ...options.members,
  };
}

export function drawFullStatusReport(random: Random, options: Partial<StatusReportOptions> = {}, share = shareDefault): MessageObject {
  const draw: Draw = { random, share };
  const plain = buildStatusReport({ ...options, members: {} });
  const original = buildDirectDebit();
  return {
    ...plain,
    ...drawSome(draw, {
      supplementaryData: () => drawSupplementaryData(draw),
      instructedAgent: () => drawInstitution(draw),
      instructingAgent: () => drawInstitution(draw),
      originalTransactionData: () =>
        drawSome(draw, {
          amounts: () => ({ bankSettlementAmount: drawAmount(draw), ...drawSome(draw, { instructedAmount: () => drawAmount(draw) }) }),
          creditor: () => drawParty(draw),
          creditorAccount: () => filled(original["creditorAccount"], drawAccountMembers(draw)),
          creditorAgent: () => drawInstitution(draw),
          debtor: () => drawParty(draw),
          debtorAccount: () => filled(original["debtorAccount"], drawAccountMembers(draw)),
          debtorAgent: () => drawInstitution(draw),
          paymentMethod: () => "DD",
          settlementDate: () => "2026-11-20",
          requestedCollectionDate: () => "2026-11-20",
          remittanceInformation: () => drawRemittanceInformation(draw),
        }),
    }),
    ...options.members,
  };
}

/** Adds optional members to the parties, accounts and agents of both sides. */
function filledSides(draw: Draw, plain: MessageObject): MessageObject {
  const side = (name: "creditor" | "debtor"): MessageObject => {
    const agent = filled(plain[`${name}Agent`], drawInstitutionMembers(draw));
    return {
      [name]: filled(plain[name], drawPartyMembers(draw)),
      [`${name}Account`]: filled(plain[`${name}Account`], drawAccountMembers(draw)),
      [`${name}Agent`]: { ...agent, branch: filled(agent["branch"], drawBranchMembers(draw)) },
    };
  };
  return { ...side("creditor"), ...side("debtor") };
}

function filled(part: MessageJson | undefined, members: MessageObject): MessageObject {
  return isObject(part) ? { ...part, ...members } : members;
}

function isObject(value: MessageJson | undefined): value is MessageObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function transactionMembers(draw: Draw): MessageObject {
  return drawSome(draw, {
    transactionIdentification: () => drawIdentifier(draw, 35),
    instructionIdentification: () => drawIdentifier(draw, 35),
  });
}

function zaEftData(draw: Draw): MessageObject {
  return {
    userReference: `KAROOINS ${drawIdentifier(draw, 20)}`,
    ...drawSome(draw, { shortenedDebtorAccountNumber: () => "62000000014", shortenedCreditorAccountNumber: () => "62001872440" }),
  };
}

function creditSchemeData(draw: Draw): MessageObject {
  return drawSome(draw, {
    userReference: () => `SALARY ${drawIdentifier(draw, 20)}`,
    originatorEchoData: () => drawIdentifier(draw, 35),
    businessReference: () => drawIdentifier(draw, 35),
  });
}

function paymentTypeInformation(draw: Draw): MessageObject {
  return drawSome(draw, {
    categoryPurpose: () => drawCode(draw),
    localInstrument: () => drawCode(draw),
    serviceLevel: () => drawList(draw, 2, () => drawCode(draw)),
  });
}

function mandate(draw: Draw): MessageObject {
  return drawSome(draw, {
    mandateIdentification: () => drawIdentifier(draw, 35),
    dateOfSignature: () => "2025-02-28",
    firstCollectionDate: () => "2026-01-01",
    finalCollectionDate: () => "2028-02-29",
    electronicSignature: () => drawText(draw, 200),
    frequency: () => "MNTH",
    reason: () => drawCode(draw),
    trackingDays: () => drawOneOf(draw, rawNumber("3"), "3"),
  });
}
