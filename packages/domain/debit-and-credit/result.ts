// The results of `decide` and of its handlers.

import type { Output } from "./output.ts";
import type { ObservationKind, Notice, Transaction } from "./transaction.ts";

/**
 * The decision about a fact.
 *
 * applied: the fact changed the state, an item or the notices.
 *
 * recorded: it is kept as an observation and changed no state.
 *
 * ignored: it is so already (`=` in the table).
 *
 * refused: it does not match the state (`-` in the table).
 *
 * dead-lettered: records before it are in the dead letters, and it follows them; also at a replay.
 *
 * replayed: it was applied before, and its first outputs are emitted again.
 *
 * The fact has no effect of its own except when applied or recorded, but the markers that were applied with it may have
 * moved the transaction.
 */
export type Decision = "applied" | "recorded" | "ignored" | "refused" | "dead-lettered" | "replayed";

/** The reason of a decision where the decision alone does not show it: a stable name for logs. */
export type DecisionReason =
  | ObservationKind
  | Notice["kind"]
  | "late-answer"
  | "row-set"
  /** A not-recoverable answer. */
  | "refused-by-bank"
  | "outcome-acknowledged"
  | "outcome-undelivered"
  | "nothing-received"
  | "other-message-validated"
  | "not-in-this-state"
  | "other-day"
  | "other-bank"
  | "window-not-open"
  | "window-closed"
  | "gate-closed"
  | "day-reconciled"
  | "delivery-never-sent"
  | "delivery-finished"
  | "day-not-reconciled"
  | "bank-paused"
  /** From here on: reasons of operators' decisions. */
  | "already-decided"
  | "id-used"
  | "too-many-decisions"
  | "nothing-refused"
  | "nothing-tried"
  | "no-such-event"
  | "too-many"
  | "no-item"
  | "already-resolved"
  | "nothing-to-confirm"
  | "nothing-to-reject"
  | "same-person"
  | "no-replacement"
  | "resolution-proposed"
  | "proposal-expired"
  | "not-quarantined"
  | "quarantined"
  | "other-deadline"
  | "too-early";

export interface DecideResult {
  readonly decision: Decision;
  readonly reason: DecisionReason | null;
  /** The transaction after the fact; null if there still is none. */
  readonly transaction: Transaction | null;
  readonly outputs: readonly Output[];
}

/** The result of a handler: the transaction after the fact, before the record is counted as applied. */
export interface FactResult {
  readonly decision: Exclude<Decision, "replayed">;
  readonly reason: DecisionReason | null;
  readonly transaction: Transaction;
}
