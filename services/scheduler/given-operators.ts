// What operators ask for, as the console appends it, for the tests of this service.

import type { Decoded, Records } from "@sluice/contracts";
import { businessDate, creditsFinalRecord } from "./given-records.ts";

const scheme = "ZA_EFT";
let asked = 0;

/** A new one at each call, unless it is named. */
export function action(id = `action-${(asked += 1)}`): Records["BankPauseRequested"]["action"] {
  return { id, operator: "thandi", reason: "the bank asked for it", requestedAtMs: 0 };
}

/** Window 0: the reconciliation. */
export function putBackRecord(windowNumber: number, closesAtMs: number, id?: string): Decoded<"CloseExtensionRequested"> {
  return { name: "CloseExtensionRequested", value: { scheme, businessDate, windowNumber, closesAtMs, action: action(id) } };
}

export function gateOpeningRecord(bank: string, credits: string[] = [], id?: string): Decoded<"GateOpeningRequested"> {
  return { name: "GateOpeningRequested", value: { scheme, businessDate, bank, credits, action: action(id) } };
}

/** null: for all banks. */
export function operatorDeclaresRecord(bank: string | null, receivedAtMs: number, id?: string): Decoded<"CreditsFinalRequested"> {
  const { name, value } = creditsFinalRecord(bank, receivedAtMs);
  return { name, value: { ...value, requestedBy: "thandi", action: action(id) } };
}

export function pauseRecord(bank: string, id?: string, untilMs: number | null = null): Decoded<"BankPauseRequested"> {
  return { name: "BankPauseRequested", value: { bank, action: action(id), untilMs } };
}

export function resumeRecord(bank: string, id?: string): Decoded<"BankResumeRequested"> {
  return { name: "BankResumeRequested", value: { bank, action: action(id) } };
}
