// Markers: records of a day or a bank, copied into every partition.

/** Names a day: `scheme:date`, for example `ZA_EFT:2026-11-20`. */
export type DayKey = string;

// ---- markers of a day: one copy to each partition. `id` = scheme:date:kind:number (the copy adds :partition).

interface MarkerBase {
  readonly id: string;
  readonly scheme: string;
  readonly businessDate: string;
}
/** The schedule of a day was announced: when it closes. */
export interface DayTimesMarker extends MarkerBase {
  readonly kind: "DayTimes";
  readonly number: number;
  readonly reconciliationAtMs: number;
  readonly calendarVersion: string;
}
/** The date has no window; held debits are carried over to `nextBusinessDate`. */
export interface DayVoidMarker extends MarkerBase {
  readonly kind: "DayVoid";
  /** Null: the calendar has none, and nothing is carried over. */
  readonly nextBusinessDate: string | null;
}
export interface WindowOpenedMarker extends MarkerBase {
  readonly kind: "WindowOpened";
  readonly number: number;
}
export interface WindowClosedMarker extends MarkerBase {
  readonly kind: "WindowClosed";
  readonly number: number;
  readonly isLast: boolean;
  /** Null: the calendar has none, and nothing is carried over. */
  readonly nextBusinessDate: string | null;
}
export interface CreditsDeclaredMarker extends MarkerBase {
  readonly kind: "CreditsDeclared";
  readonly number: number;
  readonly bank: string | null;
  readonly declaredBy: string;
}
export interface GateOpenedMarker extends MarkerBase {
  readonly kind: "GateOpened";
  readonly number: number;
  readonly banks: readonly string[] | null;
  readonly except: readonly string[];
}
export interface DayReconciledMarker extends MarkerBase {
  readonly kind: "DayReconciled";
  readonly number: number;
}

export type Marker =
  | DayTimesMarker
  | DayVoidMarker
  | WindowOpenedMarker
  | WindowClosedMarker
  | CreditsDeclaredMarker
  | GateOpenedMarker
  | DayReconciledMarker;

// ---- markers of a bank: one copy to each partition of the journal, of dispatch and of events.

interface BankMarkerBase {
  /** `bank:<id>:kind:number`; the copy adds its partition. */
  readonly id: string;
  readonly bank: string;
  /** Counts the bank's pauses; a resume has the number of the pause that it ends. */
  readonly number: number;
  readonly reason: string;
}
export interface BankPausedMarker extends BankMarkerBase {
  readonly kind: "BankPaused";
  /** When a maintenance ends by itself, epoch milliseconds; null: only a resume ends the pause. */
  readonly untilMs: number | null;
}
export interface BankResumedMarker extends BankMarkerBase {
  readonly kind: "BankResumed";
}
export type BankMarker = BankPausedMarker | BankResumedMarker;
