// The turn of a held debit has come. The scheduler's releasing task appends a Release when it believes so; whether it stands is judged here,
// by the markers below it.

import { statesOf } from "./cell.ts";
import { byFact, enter } from "./entry.ts";
import type { Place, Release } from "./fact.ts";
import { refusalOfRelease } from "./gate.ts";
import type { LaneView } from "./lane.ts";
import type { Judgement } from "./outcome.ts";
import { cellOf } from "./table.ts";
import type { Transaction } from "./transaction.ts";

export function onRelease(transaction: Transaction, fact: Release, place: Place, lane: LaneView): Judgement {
  const cell = cellOf(transaction, "release");
  if (cell === "=") return { decision: "ignored", reason: null, transaction };
  const path = transaction.flow === null ? null : statesOf(transaction.flow, cell);
  if (path === null) return { decision: "refused", reason: "not-in-this-state", transaction };
  const refusal = refusalOfRelease(transaction, fact, place, lane);
  if (refusal !== null) return { decision: "refused", reason: refusal, transaction };
  let entered = transaction;
  for (const state of path) entered = enter(entered, state, byFact(place), null);
  return { decision: "applied", reason: null, transaction: entered };
}
