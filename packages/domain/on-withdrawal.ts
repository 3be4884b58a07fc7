// An operator takes a debit back before it was sent. It ends in RECONCILIATION, with the item of a withdrawal; a report on it that is still tried is
// stopped as at a close. From elsewhere it came by a connector, which is told nothing until the item is resolved.

import { statesOf } from "./cell.ts";
import { byFact, enter } from "./entry.ts";
import type { Place } from "./fact.ts";
import { makeWithdrawn } from "./items.ts";
import type { OperatorJudgement } from "./on-operator.ts";
import { cellOf } from "./table.ts";
import type { Transaction } from "./transaction.ts";

export function onWithdrawal(transaction: Transaction, place: Place): OperatorJudgement {
  const { flow, state } = transaction;
  const path = flow === null || state === "ORPHAN" ? null : statesOf(flow, cellOf(transaction, "withdrawn"));
  if (path === null || state === "ORPHAN") return { decision: "refused", reason: "not-in-this-state", transaction };
  let entered = makeWithdrawn(transaction, state, place.appendedAtMs);
  for (const next of path) entered = enter(entered, next, byFact(place), null);
  return { decision: "applied", reason: null, transaction: entered };
}
