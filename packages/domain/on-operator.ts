// What an operator asks of a transaction: judged where its record lies, like every other fact.
//
// 1. Safe twice: an action whose id is noted changes nothing and leaves no further note.
// 2. Every other one leaves a note with its result and why; one that is refused changes nothing else.

import type { OperatorAction, Place, TransactionFact } from "./fact.ts";
import { isDecided, noteOf, withNote } from "./operator-notes.ts";
import type { Judgement } from "./outcome.ts";
import type { Transaction } from "./transaction.ts";
import { decisionsKept } from "./transaction.ts";

export type OperatorFact = Extract<TransactionFact, { readonly action: OperatorAction }>;

export interface OperatorJudgement extends Judgement {
  readonly decision: "applied" | "ignored" | "refused";
}

/** `judged`: what comes of it where it is not decided yet. */
export function onOperatorFact(
  transaction: Transaction,
  { kind, action }: OperatorFact,
  place: Place,
  judged: () => OperatorJudgement,
): Judgement {
  if (isDecided(transaction.decisions, action)) return { decision: "ignored", reason: "already-decided", transaction };
  const judgement = judged();
  const why = judgement.decision === "applied" ? null : judgement.reason;
  const note = { kind, ...noteOf(place, action, { decision: judgement.decision, reason: why }) };
  const decisions = withNote(transaction.decisions, note, decisionsKept);
  return { ...judgement, transaction: { ...judgement.transaction, decisions } };
}
