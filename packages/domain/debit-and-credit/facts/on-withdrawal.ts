// An operator withdraws a debit before it was sent. It ends in RECONCILIATION with the item of a withdrawal, and a
// report on it that is still attempted is stopped as at a close. The connector of an off-us debit gets no report until
// the item is resolved.

import { parsePath } from "../tables/cell.ts";
import { factCause, enterState } from "../entry.ts";
import type { RecordPosition } from "../../fact.ts";
import { makeWithdrawalItem } from "../items.ts";
import type { OperatorResult } from "./on-operator.ts";
import { findCell } from "../tables/find-cell.ts";
import type { Transaction } from "../transaction.ts";

export function onWithdrawal(transaction: Transaction, place: RecordPosition): OperatorResult {
  if (transaction.flow === null) return { decision: "refused", reason: "not-in-this-state", transaction };
  const path = parsePath(transaction.flow, findCell(transaction, "withdrawn"));
  if (path === null) return { decision: "refused", reason: "not-in-this-state", transaction };
  let entered = makeWithdrawalItem(transaction, place.appendedAtMs);
  for (const next of path) entered = enterState(entered, next, factCause(place), null);
  return { decision: "applied", reason: null, transaction: entered };
}
