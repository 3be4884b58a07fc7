// An operator notes something at a reconciliation item, and says who sees to it. No state, no message and no event
// follows, and nothing that is found out about the item changes.
//
// #1 Any item can have a note, also one that is settled or resolved: people ask about it later.
// #2 The item keeps its newest note alone. The earlier ones are decisions of the transaction, and records of the
//    journal.

import type { ItemNoteRequested, RecordPosition } from "../../fact.ts";
import type { ItemNote, Transaction } from "../transaction.ts";
import type { OperatorResult } from "./on-operator.ts";

export function onItemNote(
  transaction: Transaction,
  { action, day, assignee }: ItemNoteRequested,
  { offset, appendedAtMs: atMs }: RecordPosition,
): OperatorResult {
  const { items } = transaction;
  const item = items.findLast((one) => one.day === day);
  if (item === undefined) return { decision: "refused", reason: items.length === 0 ? "no-item" : "other-day", transaction };
  const note: ItemNote = { action, assignee, offset, atMs };
  const noted = items.map((one) => (one === item ? { ...item, note } : one));
  return { decision: "applied", reason: null, transaction: { ...transaction, items: noted } };
}
