// Which credits a declaration of credits final waits for: they keep the gate of their bank closed. The partition that
// answers the declaration and the console, which explains a closed gate, use the same rule.
//
// #1 It waits for unresolved credits of the declaration's scheme (and bank, if it is for one bank) that were received
//    below the declaration's marker in the credit's partition.
// #2 The credit's business date is not after the day's; before its verdict a credit counts whatever its provisional
//    date is.

import type { CreditsDeclaredMarker } from "../fact.ts";
import { isUnresolved, type OrphanState, type State } from "../debit-and-credit/transaction.ts";

/** The values that decide whether a declaration waits for a credit. */
export interface CreditAtGate {
  readonly state: State | OrphanState;
  readonly scheme: string;
  readonly bank: string | null;
  readonly businessDate: string | null;
  /** Offset of the record that created the credit. */
  readonly receivedOffset: bigint;
}

export type DeclaredCredits = Pick<CreditsDeclaredMarker, "scheme" | "businessDate" | "bank">;

/** `declaredOffset` is the offset of the declaration's marker in the credit's partition. */
export function isCreditAwaited(credit: CreditAtGate, declared: DeclaredCredits, declaredOffset: bigint): boolean {
  if (!isUnresolved(credit.state) || credit.scheme !== declared.scheme || credit.receivedOffset >= declaredOffset) return false;
  if (declared.bank !== null && declared.bank !== credit.bank) return false;
  return credit.state === "CREDIT_AUTH_RECEIVED" || (credit.businessDate ?? "") <= declared.businessDate;
}
