// What `decide` answers.

import type { Output } from "./output.ts";
import type { RemarkKind, Told, Transaction } from "./transaction.ts";

/**
 * applied: the fact changed the state, an item or what is told. remarked: recorded beside the state. ignored: already so (`=`). refused: it
 * does not match (`-`). put-aside: not judged, for records before it lie in the dead letters, and it follows them; also at a replay. replayed: folded
 * in before; its first outputs again. Of all but the first two nothing follows from the fact itself, but markers taken in its turn may have moved
 * the transaction.
 */
export type Decision = "applied" | "remarked" | "ignored" | "refused" | "put-aside" | "replayed";

/** Why, where the decision alone does not say it; a stable name for logs. */
export type Reason =
  | RemarkKind
  | Told["kind"]
  | "late-answer"
  | "row-set"
  /** A not-recoverable answer. */
  | "refused-by-bank"
  | "outcome-acknowledged"
  | "outcome-undelivered"
  | "nothing-received"
  | "other-message-judged"
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
  /** Of operators' decisions. */
  | "already-decided"
  | "nothing-refused"
  | "no-such-event"
  | "too-many"
  | "no-item"
  | "already-resolved"
  | "nothing-to-confirm"
  | "same-person"
  | "no-replacement"
  | "resolution-proposed"
  | "nothing-parked"
  | "parked"
  | "other-deadline"
  | "too-early";

export interface Outcome {
  readonly decision: Decision;
  readonly reason: Reason | null;
  /** As it is from now on; null where there still is none. */
  readonly transaction: Transaction | null;
  readonly outputs: readonly Output[];
}

/** A handler's answer: the transaction after the fact, not yet counted as folded in. */
export interface Judgement {
  readonly decision: Exclude<Decision, "replayed">;
  readonly reason: Reason | null;
  readonly transaction: Transaction;
}
