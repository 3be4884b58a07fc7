// The words of the table in `decide.ts`.

import type { OrphanState, State } from "./transaction.ts";
import { isTerminal, isUnresolved } from "./transaction.ts";

export type Row = "NONE" | OrphanState | State;

export const columns = [
  "debit",
  "accepted",
  "refused",
  "release",
  "acknowledged",
  "declined",
  "stopped",
  "made",
  "not-made",
  "pending",
  "close",
] as const;
export type Column = (typeof columns)[number];

/** States entered, in order. */
export type Path = State | "REPORTED HELD" | "DELIVERED COMPLETED" | "DELIVERED UNPAID";

export type Cell =
  | Path
  /** Already so: safe twice. */
  | "="
  /** Refused: it does not match. */
  | "-"
  /** A debit under a UETR that has one: a repeat, a conflict, or one that is answered (decisions, section 4). */
  | "again"
  /** A report that is recorded beside the state: for nothing known, before release, and so on. */
  | "orphan"
  | "early"
  | "repeat"
  | "contradicting"
  | "pending"
  | "late"
  /** An item, row 3, is shown at once. */
  | "row 3"
  /** The answer to the stop sets the item's row. */
  | "row";

/** The states of a path, in order; null for every other cell. */
export function statesOf(cell: Cell): readonly State[] | null {
  const states = cell.split(" ").filter(isState);
  return states.length === 0 ? null : states;
}

function isState(word: string): word is State {
  return isUnresolved(word) || isTerminal(word);
}
