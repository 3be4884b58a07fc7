// What operators ask for: facts like all others, judged where they lie in the journal.

import type { DayKey } from "./fact.ts";

/** Who decided something, why and when. `id` is chosen by whoever sends it: a second one with the same id changes nothing. */
export interface OperatorAction {
  readonly id: string;
  readonly operator: string;
  readonly reason: string;
  /** When the console took it: for people. The append time decides. */
  readonly requestedAtMs: number;
}

export interface WithdrawalRequested {
  readonly kind: "WithdrawalRequested";
  readonly action: OperatorAction;
}

export interface RedriveRequested {
  readonly kind: "RedriveRequested";
  readonly action: OperatorAction;
  readonly target: "delivery" | "posting";
  /** Of the delivery; of a posting the event's id. */
  readonly messageIdentification: string;
}

export type ResolutionKind = "made" | "not-made" | "replaced";

export interface ItemResolutionRequested {
  readonly kind: "ItemResolutionRequested";
  readonly action: OperatorAction;
  /** Day of the item. */
  readonly day: DayKey;
  readonly resolution: ResolutionKind;
  /** UETR that took its place; null unless replaced. */
  readonly replacedBy: string | null;
  /** It counts only when another operator has confirmed it. */
  readonly needsSecondPerson: boolean;
}

export interface ItemResolutionConfirmed {
  readonly kind: "ItemResolutionConfirmed";
  readonly action: OperatorAction;
  /** Id of the action that asked for the resolution. */
  readonly confirms: string;
}

/** The mark of a transaction whose records were put aside is taken away: they follow right behind, in their order. */
export interface DeadLettersReplayed {
  readonly kind: "DeadLettersReplayed";
  readonly action: OperatorAction;
  readonly records: number;
}

/** An operator puts back a close that is not reached yet; deadlines move with it. */
export interface CloseExtensionRequested {
  readonly kind: "CloseExtensionRequested";
  readonly action: OperatorAction;
  readonly scheme: string;
  readonly businessDate: string;
  /** Processing window; 0: the reconciliation close. */
  readonly windowNumber: number;
  readonly closesAtMs: number;
}

/** An operator opens the gate of one bank over credits that are not resolved. */
export interface GateOpeningRequested {
  readonly kind: "GateOpeningRequested";
  readonly action: OperatorAction;
  readonly scheme: string;
  readonly businessDate: string;
  readonly bank: string;
  /** UETRs that the operator was shown: recorded. */
  readonly credits: readonly string[];
}

// ---- banks: the third aggregate, under `bank:<id>`

export interface BankPauseRequested {
  readonly kind: "BankPauseRequested";
  readonly action: OperatorAction;
  readonly bank: string;
  /** Maintenance: when it ends by itself, epoch ms; null: only a resume ends it. */
  readonly untilMs: number | null;
}

export interface BankResumeRequested {
  readonly kind: "BankResumeRequested";
  readonly action: OperatorAction;
  readonly bank: string;
}

export type BankFact = BankPauseRequested | BankResumeRequested;
