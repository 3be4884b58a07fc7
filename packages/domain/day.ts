// A business day (scheme, date): planned, open, closed, credits declared. The second aggregate of the journal.

import type { DayKey, DayPlanned, Marker, OperatorAction } from "./fact.ts";

/** A marker that the day sent. All are kept: the bounds below bound them. */
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
  /** Declarations of credits final, in order; one for all banks, or one a bank. At most `declarationsMax`. */
  readonly declarations: readonly Declaration[];
  /** A gate was opened: for all banks but some, or for a single one. */
  readonly isGateOpen: boolean;
  readonly reconciledAtMs: number | null;
  /** It has no window, from its first plan on or by a later one: held debits that name it go over to the next business date; it closes all the same. */
  readonly isVoided: boolean;
  /** Closes that operators put back: a later plan does not bring them forward again. At most `putBacksMax`. */
  readonly putBacks: readonly PutBack[];
  /** What operators asked for; the last `dayDecisionsKept`. */
  readonly decisions: readonly DayDecision[];
  /** At most planVersionsMax + putBacksMax + 2 × windowsMax + 2 × declarationsMax + banksNamedMax + 1. */
  readonly told: readonly DayTold[];
}

/** A declaration of credits final, and how far the lanes are with it. Done when no lane is awaited and no bank is unresolved. */
export interface Declaration {
  /** Id of its marker, without a partition. */
  readonly id: string;
  /** The one bank that it is for; null: all. */
  readonly bank: string | null;
  /** Lanes that have not answered it. */
  readonly lanesAwaited: readonly number[];
  /** Banks that lanes named in their answers and that are not clear there yet, by bank. At most `banksNamedMax`. */
  readonly unresolved: readonly BankLanes[];
  /** Banks that a lane called clear before it answered, by bank: the answer that comes later is older. At most `banksNamedMax`. */
  readonly clearEarly: readonly BankLanes[];
}

/** A bank and lanes, ascending, at least one. */
export interface BankLanes {
  readonly bank: string;
  readonly lanes: readonly number[];
}

export interface PutBack {
  /** Processing window; 0: the reconciliation close. */
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
  /** Of a gate's opening: the bank and the credits that the operator was shown. */
  readonly bank: string | null;
  readonly credits: readonly string[];
}

export const putBacksMax = 32;
export const dayDecisionsKept = 20;
/** Credits that a note of a gate's opening keeps; all of them are in the journal's record. */
export const creditsNotedMax = 200;
/** Versions of a day's plan that are taken; a further one is refused. */
export const planVersionsMax = 16;
export const windowsMax = 24;
/** Declarations of a day: one for all banks, or one for each. A further one is refused. */
export const declarationsMax = 512;
/** Banks that the lanes' answers to one declaration may name. An answer that names more is refused, so that the gate stays closed. */
export const banksNamedMax = 512;

/** Outputs of a day: markers; each goes to every partition of the journal, DayTimes and DayReconciled also of dispatch. */
export interface MarkerOutput {
  readonly kind: "marker";
  readonly marker: Marker;
  readonly alsoToDispatch: boolean;
}
