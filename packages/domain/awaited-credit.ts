// Which credits a declaration of credits final waits for, and so keep the gate of their bank closed. One rule for the lane that answers the
// declaration and for the people who ask why the gate is closed.
//
// 1. Unresolved, of the declaration's scheme (and bank, where it is for one), received below its marker in the lane of the credit.
// 2. Of a business date not after the day's; before its verdict a credit counts whatever its provisional date says.

import type { CreditsDeclaredMarker } from "./fact.ts";
import type { OrphanState, State } from "./transaction.ts";
import { isUnresolved } from "./transaction.ts";

/** What decides whether a credit counts. */
export interface CreditAtGate {
  readonly state: State | OrphanState;
  readonly scheme: string;
  readonly bank: string | null;
  readonly businessDate: string | null;
  /** Offset of the record that made it. */
  readonly receivedOffset: bigint;
}

export type DeclaredCredits = Pick<CreditsDeclaredMarker, "scheme" | "businessDate" | "bank">;

/** `declaredOffset`: of the declaration's marker in the lane of the credit. */
export function isCreditAwaited(credit: CreditAtGate, declared: DeclaredCredits, declaredOffset: bigint): boolean {
  if (!isUnresolved(credit.state) || credit.scheme !== declared.scheme || credit.receivedOffset >= declaredOffset) return false;
  if (declared.bank !== null && declared.bank !== credit.bank) return false;
  return credit.state === "CREDIT_AUTH_RECEIVED" || (credit.businessDate ?? "") <= declared.businessDate;
}
