// Requests of operators, as the console appends them, for the tests of this service.

import type { DecodedRecord, Records } from "@sluice/contracts";
import { schedulerBusinessDate, creditsFinalRecord } from "./journal-records.fixture.ts";

const scheme = "ZA_EFT";
let actions = 0;

/** Builds an action; each call makes a new one unless an id is given. */
function operatorAction(id = `action-${(actions += 1)}`): Records["BankPauseRequested"]["action"] {
  return { id, operator: "thandi", person: null, reason: "the bank asked for it", requestedAtMs: 0, confirmedBy: null };
}

/** Builds an extension; window 0 means the reconciliation. */
export function closeExtensionRecord(windowNumber: number, closesAtMs: number, id?: string): DecodedRecord<"CloseExtensionRequested"> {
  return {
    name: "CloseExtensionRequested",
    value: { scheme, businessDate: schedulerBusinessDate, windowNumber, closesAtMs, action: operatorAction(id) },
  };
}

export function gateOpeningRecord(bank: string, credits: string[] = [], id?: string): DecodedRecord<"GateOpeningRequested"> {
  return {
    name: "GateOpeningRequested",
    value: { scheme, businessDate: schedulerBusinessDate, bank, credits, action: operatorAction(id) },
  };
}

/** Builds a declaration for one bank, or for all banks if it is null. */
export function operatorCreditsFinalRecord(bank: string | null, receivedAtMs: number, id?: string): DecodedRecord<"CreditsFinalRequested"> {
  const { name, value } = creditsFinalRecord(bank, receivedAtMs);
  return { name, value: { ...value, requestedBy: "thandi", action: operatorAction(id) } };
}

export function pauseRecord(bank: string, id?: string, untilMs: number | null = null): DecodedRecord<"BankPauseRequested"> {
  return { name: "BankPauseRequested", value: { bank, action: operatorAction(id), untilMs } };
}

export function resumeRecord(bank: string, id?: string): DecodedRecord<"BankResumeRequested"> {
  return { name: "BankResumeRequested", value: { bank, action: operatorAction(id) } };
}
