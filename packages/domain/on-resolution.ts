// People found out what became of an item: made, not made, or replaced by another transaction. No state and no event follows.
//
// 1. Only what is final can be resolved: the item of a close, a deadline or a withdrawal; or the one beside an ended state, of an outcome that the
//    connector has not taken. Of two the state's own comes first. A final resolution never changes; late answers are still recorded on its item.
// 2. Where a second person is needed, the request is a proposal until another operator confirms it by the id of its action; a further request before
//    that takes its place.
// 3. The connector is told once, when the resolution of the state's own item is final, under the next number; a debit on-us has nobody to tell. It
//    follows what was told before, in order; only where that lies refused, and nobody redrove it, it is stopped and no longer awaited.

import { tell } from "./entry.ts";
import type { ItemResolutionConfirmed, ItemResolutionRequested, OperatorAction, Place } from "./fact.ts";
import { sentIdentification } from "./ids.ts";
import { isBeside } from "./items.ts";
import { refusedLetter } from "./on-redrive.ts";
import type { OperatorJudgement } from "./on-operator.ts";
import type { Reason } from "./outcome.ts";
import { flowOf, operationOf, receiverOf } from "./state-messages.ts";
import type { Item, Resolution, Told, Transaction } from "./transaction.ts";

/** The digit of an outcome's identification. */
const outcomesMax = 9;

export function onResolutionRequested(transaction: Transaction, fact: ItemResolutionRequested, place: Place): OperatorJudgement {
  const { action, day, resolution: kind, needsSecondPerson } = fact;
  const found = itemOf(transaction, day);
  if (typeof found === "string") return { decision: "refused", reason: found, transaction };
  const replacedBy = kind === "replaced" ? (fact.replacedBy?.toLowerCase() ?? "") : null;
  if (replacedBy === "" || replacedBy === transaction.uetr) return { decision: "refused", reason: "no-replacement", transaction };
  const resolution: Resolution = { kind, replacedBy, action, atMs: place.appendedAtMs, isFinal: !needsSecondPerson, confirmed: null };
  return resolved(transaction, found, resolution, place);
}

export function onResolutionConfirmed(transaction: Transaction, fact: ItemResolutionConfirmed, place: Place): OperatorJudgement {
  const { action, confirms } = fact;
  const item = finalItems(transaction).find(({ resolution }) => resolution?.action.id === confirms);
  const proposal = item?.resolution ?? null;
  const refusal = proposal === null ? "nothing-to-confirm" : refusalOf(proposal, action);
  if (item === undefined || proposal === null || refusal !== null) {
    return { decision: "refused", reason: refusal ?? "nothing-to-confirm", transaction };
  }
  return resolved(transaction, item, { ...proposal, isFinal: true, confirmed: { action, atMs: place.appendedAtMs } }, place);
}

function refusalOf(proposal: Resolution, { operator }: OperatorAction): Reason | null {
  if (proposal.isFinal) return "already-resolved";
  return proposal.action.operator === operator ? "same-person" : null;
}

/** Not settled, and nothing but people can change it any more. */
function finalItems({ state, items }: Transaction): readonly Item[] {
  const isOver = state === "RECONCILIATION" || state === "CREDIT_AUTH_RECONCILIATION";
  return items.filter((item) => item.settledAtMs === null && (isOver || isBeside(item)));
}

function itemOf(transaction: Transaction, day: string): Item | Reason {
  const items = finalItems(transaction);
  const ofDay = items.filter((item) => item.day === day);
  if (ofDay.length === 0) return items.length === 0 ? "no-item" : "other-day";
  return ofDay.find(({ resolution }) => resolution?.isFinal !== true) ?? "already-resolved";
}

function resolved(transaction: Transaction, item: Item, resolution: Resolution, place: Place): OperatorJudgement {
  const items = transaction.items.map((other) => (other === item ? { ...item, resolution } : other));
  const noted = { ...transaction, items };
  if (!resolution.isFinal) return { decision: "applied", reason: "resolution-proposed", transaction: noted };
  if (isBeside(item) || flowOf(noted) === "on-us") return { decision: "applied", reason: null, transaction: noted };
  return { decision: "applied", reason: "resolution-outcome", transaction: tellResolution(noted, place) };
}

function tellResolution(transaction: Transaction, place: Place): Transaction {
  const { uetr, outcome } = transaction;
  const number = (outcome?.number ?? 0) + 1;
  if (number > outcomesMax) throw new Error(`more than ${outcomesMax} outcomes: ${uetr}`);
  const before = outcome === null ? null : sentIdentification(uetr, "O", outcome.number);
  const freed =
    before !== null && refusedLetter(transaction) === "O" ? tell(transaction, told(transaction, "stop-again", before, place)) : transaction;
  const identification = sentIdentification(uetr, "O", number);
  return { ...tell(freed, told(transaction, "resolution-outcome", identification, place)), outcome: { number, acknowledgedAtMs: null } };
}

function told(transaction: Transaction, kind: "stop-again" | "resolution-outcome", messageIdentification: string, place: Place): Told {
  return {
    offset: place.offset,
    atMs: place.appendedAtMs,
    kind,
    operation: operationOf(flowOf(transaction), "O"),
    messageIdentification,
    about: kind === "stop-again" ? messageIdentification : (transaction.message?.messageIdentification ?? ""),
    receiver: receiverOf(transaction, "O"),
    deadlineMs: 0,
  };
}
