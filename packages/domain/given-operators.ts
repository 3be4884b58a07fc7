// What operators ask of a day or of a bank, for the tests of this package.

import type { BankFact, CloseExtensionRequested, CreditsFinalRequested, GateOpeningRequested, OperatorAction } from "./fact.ts";
import { creditsFinal, date, scheme } from "./given.ts";

export function action(id: string, operator = "thandi"): OperatorAction {
  return { id, operator, reason: "the bank asked for it", requestedAtMs: 1 };
}

/** Window 0: the reconciliation. */
export function putBack(windowNumber: number, closesAtMs: number, id = `put-back-${windowNumber}-${closesAtMs}`): CloseExtensionRequested {
  return { kind: "CloseExtensionRequested", scheme, businessDate: date, windowNumber, closesAtMs, action: action(id) };
}

export function gateOpening(bank: string, credits: readonly string[] = [], id = `open-${bank}`): GateOpeningRequested {
  return { kind: "GateOpeningRequested", scheme, businessDate: date, bank, credits, action: action(id) };
}

/** null: for all banks. */
export function operatorDeclares(bank: string | null = null, id = `declare-${bank}`): CreditsFinalRequested {
  return { ...creditsFinal(bank), requestedBy: "thandi", action: action(id) };
}

export function pause(bank: string, id: string, untilMs: number | null = null): BankFact {
  return { kind: "BankPauseRequested", bank, action: action(id), untilMs };
}

export function resume(bank: string, id: string): BankFact {
  return { kind: "BankResumeRequested", bank, action: action(id) };
}
