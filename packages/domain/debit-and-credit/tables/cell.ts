// The words of the tables in `debit-table.ts` and `credit-table.ts`.

import { type CreditState, type DebitState, type Flow, isTerminal, isUnresolved, type OrphanState, type State } from "../transaction.ts";

/** Rows before a debit or credit was received, where there is no state. */
type Before = "NONE" | OrphanState;
export type DebitRow = Before | "RECEIVED on-us" | "RECEIVED off-us" | Exclude<DebitState, "RECEIVED">;
/** The states of a credit, without `CREDIT_AUTH_`. */
type CreditStep = CreditState extends `CREDIT_AUTH_${infer Step}` ? Step : never;
export type CreditRow = Before | CreditStep;

// prettier-ignore
export const debitColumns = ["message", "accepted", "refused", "release", "acknowledged", "declined", "stopped", "outcome-acked", "outcome-refused", "made", "not-made", "pending", "withdrawn", "last-close", "close"] as const;
// prettier-ignore
export const creditColumns = ["message", "accepted", "refused", "acknowledged", "declined", "doubtful", "stopped", "outcome-acked", "outcome-refused", "made", "not-made", "pending", "deadline"] as const;
export type DebitColumn = (typeof debitColumns)[number];
export type CreditColumn = (typeof creditColumns)[number];

/** States that are entered, in order. */
type DebitPath = DebitState | "ACCEPTED HELD" | "REPORTED HELD" | "DELIVERED COMPLETED" | "DELIVERED UNPAID";
type CreditPath = CreditStep | "ACCEPTED DELIVERY_PENDING" | "DELIVERED RESPONSE_ACCEPTED";

export type Cell =
  | DebitPath
  | CreditPath
  /** Ignored: it is so already, and a repeat is safe. */
  | "="
  /** Refused: the fact does not match the state. */
  | "-"
  /**
   * A further debit or credit under this UETR: a repeat, a conflict, or a message that is answered
   * (docs/spec/decisions.md D4).
   */
  | "again"
  /** A report that is recorded and changes no state: for an unknown UETR, before the release, and so on. */
  | "orphan"
  | "early"
  | "contradicting"
  | "pending"
  | "late"
  /** A report after the final one: a repeat if it has the same outcome, otherwise contradicting. */
  | "second"
  /** An item of row 3 is made at once. */
  | "row 3"
  /** The answer to the stop sets the item's row. */
  | "row"
  /** The connector has acknowledged the outcome report, which settles a detached item. */
  | "acked"
  /** A detached item is made if an outcome report was sent and is not acknowledged. */
  | "undelivered";

/** Returns the states of a path in order; null for every other cell. */
export function parsePath(flow: Flow, cell: Cell): readonly State[] | null {
  const paths = flow === "credit" ? creditPaths : debitPaths;
  const known = paths.get(cell);
  if (known !== undefined) return known;
  const path = readPath(flow, cell);
  paths.set(cell, path);
  return path;
}

/** By the cells of the two tables. */
const debitPaths = new Map<Cell, readonly State[] | null>();
const creditPaths = new Map<Cell, readonly State[] | null>();

function readPath(flow: Flow, cell: Cell): readonly State[] | null {
  const states = cell
    .split(" ")
    .map((word) => (flow === "credit" ? `CREDIT_AUTH_${word}` : word))
    .filter(isState);
  return states.length === 0 ? null : states;
}

function isState(word: string): word is State {
  return isUnresolved(word) || isTerminal(word);
}
