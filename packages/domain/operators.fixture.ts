// Operators' requests about a day or a bank, for the tests of this package.

import type { BankFact, CloseExtensionRequested, CreditsFinalRequested, GateOpeningRequested, OperatorAction } from "./fact.ts";
import { creditsFinal, date, scheme } from "./given.fixture.ts";

export function action(id: string, operator = "thandi"): OperatorAction {
  return {
    id,
    operator,
    person: null,
    confirmedBy: null,
    reason: "the bank asked for it",
    requestedAtMs: 1,
    contentSha256: contentSha256(id),
  };
}

/** Actions with the same id have the same content, unless a test says otherwise. */
export function contentSha256(id: string): string {
  return Buffer.from(id).toString("hex").slice(0, 64).padEnd(64, "0");
}

/** Window 0 is the reconciliation close. */
export function extendClose(
  windowNumber: number,
  closesAtMs: number,
  id = `extend-${windowNumber}-${closesAtMs}`,
): CloseExtensionRequested {
  return { kind: "CloseExtensionRequested", scheme, businessDate: date, windowNumber, closesAtMs, action: action(id) };
}

export function gateOpening(bank: string, credits: readonly string[] = [], id = `open-${bank}`): GateOpeningRequested {
  return { kind: "GateOpeningRequested", scheme, businessDate: date, bank, credits, action: action(id) };
}

/** A declaration by an operator, for one bank; null: for all banks. */
export function operatorDeclares(bank: string | null = null, id = `declare-${bank}`): CreditsFinalRequested {
  return { ...creditsFinal(bank), requestedBy: "thandi", action: action(id) };
}

export function pause(bank: string, id: string, untilMs: number | null = null): BankFact {
  return { kind: "BankPauseRequested", bank, action: action(id), untilMs };
}

export function resume(bank: string, id: string): BankFact {
  return { kind: "BankResumeRequested", bank, action: action(id) };
}
