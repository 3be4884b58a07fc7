// A business day (scheme, date): planned, open, closed, credits declared. The second aggregate of the journal.

import type { DayKey, DayPlanned, Marker } from "./fact.ts";

export interface DayTold {
  /** Offset of the record in whose turn it was made. */
  readonly offset: bigint;
  readonly atMs: number;
  readonly marker: Marker;
}

export interface Day {
  readonly key: DayKey;
  readonly version: number;
  readonly applied: bigint;
  readonly plan: DayPlanned;
  /** Numbers of windows opened, and closed. */
  readonly opened: readonly number[];
  readonly closed: readonly number[];
  /** Planned openings that passed unopened because the closing had come too. */
  readonly missed: readonly number[];
  /** Declarations of credits final, by marker id. */
  readonly declared: readonly string[];
  /** Lanes that answered the declaration for all banks, with the banks they named. */
  readonly laneAnswers: readonly { readonly lane: number; readonly banksUnresolved: readonly string[] }[];
  readonly isGateOpen: boolean;
  readonly reconciledAtMs: number | null;
  readonly told: readonly DayTold[];
}

/** Outputs of a day: markers; each goes to every partition of the journal, DayTimes and DayReconciled also of dispatch. */
export interface MarkerOutput {
  readonly kind: "marker";
  readonly marker: Marker;
  readonly alsoToDispatch: boolean;
}
