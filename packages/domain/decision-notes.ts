// Notes of what operators asked of a transaction, a day or a bank: the newest few, each with its result and reason.
// That an action counts once does not depend on them (`used-actions.ts`).

import type { OperatorAction, RecordPosition } from "./fact.ts";

export interface DecisionNote {
  readonly offset: bigint;
  readonly atMs: number;
  readonly action: OperatorAction;
  readonly result: "applied" | "ignored" | "refused";
  readonly why: string | null;
}

export function buildDecisionNote(
  place: RecordPosition,
  action: OperatorAction,
  { decision, reason }: { readonly decision: DecisionNote["result"]; readonly reason: string | null },
): DecisionNote {
  return { offset: place.offset, atMs: place.appendedAtMs, action, result: decision, why: reason };
}

/** Appends a note and drops the oldest beyond `keptMax`. */
export function appendDecisionNote<N extends DecisionNote>(notes: readonly N[], note: N, keptMax: number): readonly N[] {
  return [...notes, note].slice(-keptMax);
}
