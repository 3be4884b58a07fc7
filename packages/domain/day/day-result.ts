// The results of `decideDay` and of its handlers.

import type { Day, MarkerOutput } from "./day.ts";

export type PlanRefusal = "plan-out-of-order" | "plan-leaves-no-window" | "too-many-plans" | "day-over";

export type DayReason =
  | PlanRefusal
  | "other-declares"
  | "too-many-declarations"
  | "not-declared"
  | "no-such-partition"
  | "too-many-banks"
  | "close-reached"
  | "not-later"
  | "too-far"
  | "too-many-extensions"
  | "partitions-awaited"
  | "other-key"
  | "not-planned"
  | "no-such-window"
  | "too-early"
  | "window-missed"
  /** A later plan replaced it before; it is not accepted again. */
  | "plan-superseded"
  /** From here on: it is so already. */
  | "already-decided"
  | "id-used"
  | "too-many-decisions"
  | "already-declared"
  | "gate-open"
  | "partition-counted"
  | "bank-clear";

export interface DecideDayResult {
  readonly decision: "applied" | "ignored" | "refused" | "replayed";
  readonly reason: DayReason | null;
  readonly day: Day | null;
  readonly outputs: readonly MarkerOutput[];
}

/** The result of a handler: the day after the fact, before the record is counted as applied. */
export interface DayResult {
  readonly decision: "applied" | "ignored" | "refused";
  readonly reason: DayReason | null;
  readonly day: Day;
}
