// The state of a bank (or a connector) as operators set it: paused or not. It is the third aggregate of the journal,
// under `bank:<id>`.
//
// A maintenance is a pause with an end. No record marks that end: its time is compared with a moment, or with a fact's
// append time.

import type { BankMarker, OperatorAction } from "../fact.ts";

export interface BankState {
  readonly bank: string;
  /** Number of journal records applied. */
  readonly version: number;
  /** Offset of the last record applied. */
  readonly applied: bigint;
  /** True after a pause, also when its maintenance has ended: ask `isPausedAt`. */
  readonly isPaused: boolean;
  /** When the pause ends by itself, epoch milliseconds; null: only a resume ends it, or there is no pause. */
  readonly untilMs: number | null;
  /** Who paused or resumed the bank last, and when; null: nobody yet. */
  readonly since: { readonly action: OperatorAction; readonly atMs: number } | null;
  /** How many pauses and resumes there were so far: they number the markers. */
  readonly pauses: number;
  readonly resumes: number;
  /** The newest markers, kept for replays; at most `bankMarkersKept`. */
  readonly markers: readonly { readonly offset: bigint; readonly atMs: number; readonly marker: BankMarker }[];
  /** What `used-actions.ts` keeps of every action of operators. */
  readonly usedActions: readonly string[];
  /** The last `bankDecisionsKept` requests of operators. */
  readonly decisions: readonly BankDecision[];
}

export interface BankDecision {
  readonly offset: bigint;
  readonly atMs: number;
  readonly kind: "BankPauseRequested" | "BankResumeRequested";
  readonly action: OperatorAction;
  readonly result: "applied" | "ignored" | "refused";
  readonly why: string | null;
}

/** The bank is no longer paused at the very end of a maintenance. */
export function isPausedAt({ isPaused, untilMs }: Pick<BankState, "isPaused" | "untilMs">, atMs: number): boolean {
  return isPaused && (untilMs === null || atMs < untilMs);
}

/** Banks and connectors that one configuration may have. */
export const banksMax = 1_000;
export const connectorsMax = 100;
/**
 * Receivers that may be paused at once: what is kept or listed of pauses has no lower bound, or a pause is forgotten.
 */
export const receiversMax = banksMax + connectorsMax;

export const bankMarkersKept = 32;
export const bankDecisionsKept = 20;

/** A marker of a bank: one copy goes to each partition of the journal, of dispatch and of events. */
export interface BankMarkerOutput {
  readonly kind: "bank-marker";
  readonly marker: BankMarker;
}
