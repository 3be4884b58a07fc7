// What operators asked of a day or of a bank, as notes: the last few, each with its result and why. An action counts once, by its id.

import type { OperatorAction, Place } from "./fact.ts";

export interface DecisionNote {
  readonly offset: bigint;
  readonly atMs: number;
  readonly action: OperatorAction;
  readonly result: "applied" | "ignored" | "refused";
  readonly why: string | null;
}

export function isDecided(notes: readonly DecisionNote[], action: OperatorAction): boolean {
  return notes.some((note) => note.action.id === action.id);
}

export function noteOf(
  place: Place,
  action: OperatorAction,
  { decision, reason }: { readonly decision: DecisionNote["result"]; readonly reason: string | null },
): DecisionNote {
  return { offset: place.offset, atMs: place.appendedAtMs, action, result: decision, why: reason };
}

/** With one note more, without the oldest beyond `keptMax`. */
export function withNote<N extends DecisionNote>(notes: readonly N[], note: N, keptMax: number): readonly N[] {
  return [...notes, note].slice(-keptMax);
}
