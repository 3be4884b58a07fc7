// The words of the tables in `debit-table.ts` and `credit-table.ts`.

import type { CreditState, DebitState, Flow, OrphanState, State } from "./transaction.ts";
import { isTerminal, isUnresolved } from "./transaction.ts";

/** Where nothing has a state yet. */
type Before = "NONE" | OrphanState;
export type DebitRow = Before | "RECEIVED on-us" | "RECEIVED off-us" | Exclude<DebitState, "RECEIVED">;
/** States of a credit without `CREDIT_AUTH_`. */
export type CreditStep = CreditState extends `CREDIT_AUTH_${infer Step}` ? Step : never;
export type CreditRow = Before | CreditStep;

// prettier-ignore
export const debitColumns = ["message", "accepted", "refused", "release", "acknowledged", "declined", "stopped", "told", "untold", "made", "not-made", "pending", "withdrawn", "over", "close"] as const;
// prettier-ignore
export const creditColumns = ["message", "accepted", "refused", "acknowledged", "declined", "doubtful", "stopped", "told", "untold", "made", "not-made", "pending", "deadline"] as const;
export type DebitColumn = (typeof debitColumns)[number];
export type CreditColumn = (typeof creditColumns)[number];

/** States entered, in order. */
type DebitPath = DebitState | "ACCEPTED HELD" | "REPORTED HELD" | "DELIVERED COMPLETED" | "DELIVERED UNPAID";
type CreditPath = CreditStep | "ACCEPTED DELIVERY_PENDING" | "DELIVERED RESPONSE_ACCEPTED";

export type Cell =
  | DebitPath
  | CreditPath
  /** Already so: safe twice. */
  | "="
  /** Refused: it does not match. */
  | "-"
  /** A debit or credit under a UETR that has one: a repeat, a conflict, or one that is answered (decisions, section 4). */
  | "again"
  /** A report that is recorded beside the state: for nothing known, before release, and so on. */
  | "orphan"
  | "early"
  | "contradicting"
  | "pending"
  | "late"
  /** After the final one: a repeat if it says the same, otherwise contradicting. */
  | "second"
  /** An item, row 3, is shown at once. */
  | "row 3"
  /** The answer to the stop sets the item's row. */
  | "row"
  /** The connector has acknowledged the outcome; an item beside the state is settled. */
  | "told"
  /** An item beside the state, if an outcome was told and is not acknowledged. */
  | "undelivered";

/** The states of a path, in order; null for every other cell. */
export function statesOf(flow: Flow, cell: Cell): readonly State[] | null {
  const states = cell
    .split(" ")
    .map((word) => (flow === "credit" ? `CREDIT_AUTH_${word}` : word))
    .filter(isState);
  return states.length === 0 ? null : states;
}

function isState(word: string): word is State {
  return isUnresolved(word) || isTerminal(word);
}
