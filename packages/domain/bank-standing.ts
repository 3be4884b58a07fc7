// A bank (or a connector) as operators set it: paused or not. The third aggregate of the journal, under `bank:<id>`.
//
// A maintenance is a pause with an end. No record says that it is over: whoever asks compares its end with a time, a fact with its append time.

import type { BankMarker, OperatorAction } from "./fact.ts";

export interface BankStanding {
  readonly bank: string;
  /** Number of journal records folded in. */
  readonly version: number;
  /** Offset of the last record folded in. */
  readonly applied: bigint;
  /** Whether the last that counted was a pause; `isPausedAt` says whether it holds. */
  readonly isPaused: boolean;
  /** When that pause ends by itself, epoch ms; null: only a resume ends it, or there is none. */
  readonly untilMs: number | null;
  /** Who paused or resumed it last, and when; null: nobody ever did. */
  readonly since: { readonly action: OperatorAction; readonly atMs: number } | null;
  /** Markers of each kind so far. */
  readonly pauses: number;
  readonly resumes: number;
  /** The newest markers, for replays; at most `bankMarkersKept`. */
  readonly told: readonly { readonly offset: bigint; readonly atMs: number; readonly marker: BankMarker }[];
  /** The last `bankDecisionsKept`. */
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

/** The end itself lies behind the pause. */
export function isPausedAt({ isPaused, untilMs }: Pick<BankStanding, "isPaused" | "untilMs">, atMs: number): boolean {
  return isPaused && (untilMs === null || atMs < untilMs);
}

export const bankMarkersKept = 32;
export const bankDecisionsKept = 20;

/** One copy goes to each partition of the journal, of dispatch and of events. */
export interface BankMarkerOutput {
  readonly kind: "bank-marker";
  readonly marker: BankMarker;
}
