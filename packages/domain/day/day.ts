// A business day (scheme and date): its plan, windows, declarations and close. It is the second aggregate of the
// journal.

import type { DayKey, DayPlanned, Marker, OperatorAction } from "../fact.ts";

/** A marker of the day. All are kept; the bounds below limit how many there can be. */
export interface DayMarkerEntry {
  /** Offset of the record that made the marker. */
  readonly offset: bigint;
  readonly atMs: number;
  readonly marker: Marker;
}

export interface Day {
  readonly key: DayKey;
  /** Number of journal records applied. */
  readonly version: number;
  /** Offset of the last record applied. */
  readonly applied: bigint;
  /** The plan in force: the first one with the changes of later versions. */
  readonly plan: DayPlanned;
  /** Calendar versions of the plans so far, in order; each counts once. */
  readonly planVersions: readonly string[];
  /** Numbers of the windows that were opened, and of those that were closed. */
  readonly opened: readonly number[];
  readonly closed: readonly number[];
  /** Windows that never opened because their closing time came first. They are closed all the same. */
  readonly missed: readonly number[];
  /** Declarations of credits final, in order: one for all banks, or one for each bank. At most `declarationsMax`. */
  readonly declarations: readonly Declaration[];
  /** True once a gate was opened, for all banks but some or for a single one. */
  readonly isGateOpen: boolean;
  readonly reconciledAtMs: number | null;
  /**
   * True if the date has no window, by its first plan or a later one. Its held debits are carried over; it still
   * closes.
   */
  readonly isVoided: boolean;
  /** Closes that operators extended; a later plan does not bring them forward again. At most `extensionsMax`. */
  readonly extensions: readonly CloseExtension[];
  /** What `used-actions.ts` keeps of every action of operators. */
  readonly usedActions: readonly string[];
  /** The last `dayDecisionsKept` requests of operators. */
  readonly decisions: readonly DayDecision[];
  /** At most planVersionsMax + extensionsMax + 2 × windowsMax + 2 × declarationsMax + banksNamedMax + 1. */
  readonly markers: readonly DayMarkerEntry[];
}

/**
 * A declaration of credits final and its progress. It is done when no partition is awaited and no bank is unresolved.
 */
export interface Declaration {
  /** Id of the declaration's marker, without a partition. */
  readonly id: string;
  /** The one bank of the declaration; null: all banks. */
  readonly bank: string | null;
  /** Partitions that have not answered. */
  readonly partitionsAwaited: readonly number[];
  /** Banks that partitions named in their answers and that are not clear there yet. At most `banksNamedMax`. */
  readonly unresolved: readonly BankPartitions[];
  /**
   * Banks that a partition called clear before its answer was read: the answer's content is older. At most
   * `banksNamedMax`.
   */
  readonly clearEarly: readonly BankPartitions[];
}

/** A bank and its partitions: ascending, at least one. */
export interface BankPartitions {
  readonly bank: string;
  readonly partitions: readonly number[];
}

export interface CloseExtension {
  /** Number of the processing window; 0: the reconciliation close. */
  readonly windowNumber: number;
  readonly closesAtMs: number;
  readonly action: OperatorAction;
  readonly atMs: number;
}

export interface DayDecision {
  readonly offset: bigint;
  readonly atMs: number;
  readonly kind: "CreditsFinalRequested" | "CloseExtensionRequested" | "GateOpeningRequested";
  readonly action: OperatorAction;
  readonly result: "applied" | "ignored" | "refused";
  readonly why: string | null;
  /** For the opening of a gate: the bank, and the credits that the operator was shown. */
  readonly bank: string | null;
  readonly credits: readonly string[];
}

export const extensionsMax = 32;
export const dayDecisionsKept = 20;
/** Credits kept in the note of a gate opening; the journal record has all of them. */
export const creditsNotedMax = 200;
/** Versions of a day's plan that are accepted; a further one is refused. */
export const planVersionsMax = 16;
export const windowsMax = 24;
/** Declarations of a day that are accepted; a further one is refused. */
export const declarationsMax = 512;
/**
 * Banks that the answers to one declaration may name. An answer that would exceed it is refused, so that the gate stays
 * closed.
 */
export const banksNamedMax = 512;

/**
 * A marker of a day: one copy goes to each partition of the journal; DayTimes and DayReconciled also go to dispatch.
 */
export interface MarkerOutput {
  readonly kind: "marker";
  readonly marker: Marker;
  readonly alsoToDispatch: boolean;
}
