// A business day (scheme, date): planned, open, closed, credits declared. The second aggregate of the journal.

import type { DayKey, DayPlanned, Marker } from "./fact.ts";

/** A marker that the day sent. All are kept: `planVersionsMax` and `windowsMax` bound them. */
export interface DayTold {
  /** Offset of the record in whose turn it was made. */
  readonly offset: bigint;
  readonly atMs: number;
  readonly marker: Marker;
}

export interface Day {
  readonly key: DayKey;
  /** Number of journal records folded in. */
  readonly version: number;
  /** Offset of the last record folded in. */
  readonly applied: bigint;
  /** As in force: the first plan with what later versions changed. */
  readonly plan: DayPlanned;
  /** Calendar versions seen, in order; each counts once. */
  readonly planVersions: readonly string[];
  /** Numbers of windows opened, and closed. */
  readonly opened: readonly number[];
  readonly closed: readonly number[];
  /** Windows that never opened: their closing time had come first. They are closed all the same. */
  readonly missed: readonly number[];
  /** Declarations of credits final, by marker id. */
  readonly declared: readonly string[];
  /** Lanes that answered the declaration for all banks, with the banks they named. */
  readonly laneAnswers: readonly { readonly lane: number; readonly banksUnresolved: readonly string[] }[];
  readonly isGateOpen: boolean;
  readonly reconciledAtMs: number | null;
  /** At most planVersionsMax + 2 × windowsMax + 4. */
  readonly told: readonly DayTold[];
}

/** Versions of a day's plan that are taken; a further one is refused. */
export const planVersionsMax = 16;
export const windowsMax = 24;

/** Outputs of a day: markers; each goes to every partition of the journal, DayTimes and DayReconciled also of dispatch. */
export interface MarkerOutput {
  readonly kind: "marker";
  readonly marker: Marker;
  readonly alsoToDispatch: boolean;
}
