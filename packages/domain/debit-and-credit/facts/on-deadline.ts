// The deadline of a credit, for its delivery and report. Only DeadlinePassed makes it pass: by the order of the
// journal, and never before its time by the record's append time. Nobody knows then whether the bank has booked the
// credit, so the connector is sent PDNG.

import { factCause, enterState } from "../entry.ts";
import type { DeadlinePassed, RecordPosition } from "../../fact.ts";
import { makeCloseItem, showUndeliveredItem } from "../items.ts";
import type { FactResult } from "../result.ts";
import { findCell } from "../tables/find-cell.ts";
import { isOutcomeReportAwaited, type State, type Transaction } from "../transaction.ts";

export function onDeadlinePassed(transaction: Transaction, fact: DeadlinePassed, place: RecordPosition): FactResult {
  if (transaction.flow !== "credit" || transaction.deadlineMs !== fact.deadlineMs)
    return { decision: "refused", reason: "other-deadline", transaction };
  const { state } = transaction;
  if (place.appendedAtMs < fact.deadlineMs) return { decision: "refused", reason: "too-early", transaction };
  const cell = findCell(transaction, "deadline");
  if (cell === "undelivered" && isOutcomeReportAwaited(transaction)) {
    const shown = showUndeliveredItem(transaction, place.appendedAtMs);
    const decision = shown === transaction ? "ignored" : "applied";
    return { decision, reason: decision === "applied" ? "outcome-undelivered" : null, transaction: shown };
  }
  if (cell !== "RECONCILIATION") return { decision: "ignored", reason: null, transaction };
  const cause = state === "CREDIT_AUTH_DELIVERED" && transaction.pendingAtMs !== null ? "PDNG" : null;
  const shown = makeCloseItem(transaction, { row: rows[state] ?? null, cause, atMs: place.appendedAtMs });
  return { decision: "applied", reason: null, transaction: enterState(shown, "CREDIT_AUTH_RECONCILIATION", factCause(place), null) };
}

/** Row by the state at the deadline (docs/spec/decisions.md D9); null: 7 or 8, set by the answer to the stop. */
const rows: Readonly<Partial<Record<State, number | null>>> = {
  CREDIT_AUTH_RECEIVED: 4,
  CREDIT_AUTH_ACCEPTED: 4,
  CREDIT_AUTH_DELIVERY_PENDING: null,
  CREDIT_AUTH_DELIVERED: 9,
};
