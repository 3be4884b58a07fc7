// A request of an operator about a transaction. Like every other fact it is decided at its place in the journal.
//
// #1 A repeat is safe: an action whose id was used before changes nothing and leaves no further note, however long ago
//    that was. With another content it is refused (`used-actions.ts`).
// #2 Every other action leaves a note with its result and the reason; a refused one changes nothing else.

import type { OperatorAction, RecordPosition, TransactionFact } from "../../fact.ts";
import { buildDecisionNote, appendDecisionNote } from "../../decision-notes.ts";
import { addUsedAction, findActionUse, usedActionsMax } from "../../used-actions.ts";
import type { FactResult } from "../result.ts";
import { decisionsKept, type Transaction } from "../transaction.ts";

export type OperatorFact = Extract<TransactionFact, { readonly action: OperatorAction }>;

export interface OperatorResult extends FactResult {
  readonly decision: "applied" | "ignored" | "refused";
}

/** `decideAction` runs only if the action was not decided before. */
export function onOperatorFact(
  transaction: Transaction,
  { kind, action }: OperatorFact,
  place: RecordPosition,
  decideAction: () => OperatorResult,
): FactResult {
  const use = findActionUse(transaction.usedActions, action, usedActionsMax.transaction);
  if (use !== null) return { decision: use === "already-decided" ? "ignored" : "refused", reason: use, transaction };
  const result = decideAction();
  const why = result.decision === "applied" ? null : result.reason;
  const note = { kind, ...buildDecisionNote(place, action, { decision: result.decision, reason: why }) };
  const decisions = appendDecisionNote(transaction.decisions, note, decisionsKept);
  const usedActions = addUsedAction(transaction.usedActions, action);
  return { ...result, transaction: { ...result.transaction, decisions, usedActions } };
}
