// The own deadline of a credit, for delivery and report. DeadlinePassed alone makes it pass: by the order of the journal, and never before its
// time by the record's append time. Whether the bank has booked the credit is not known then, so the connector is told PDNG.

import { byFact, enter } from "./entry.ts";
import type { DeadlinePassed, Place } from "./fact.ts";
import { makeAtClose, showUndelivered } from "./items.ts";
import type { Judgement } from "./outcome.ts";
import { cellOf } from "./table.ts";
import type { State, Transaction } from "./transaction.ts";
import { isOutcomeAwaited } from "./transaction.ts";

export function onDeadlinePassed(transaction: Transaction, fact: DeadlinePassed, place: Place): Judgement {
  const { state } = transaction;
  if (state === "ORPHAN" || transaction.deadlineMs !== fact.deadlineMs)
    return { decision: "refused", reason: "other-deadline", transaction };
  if (place.appendedAtMs < fact.deadlineMs) return { decision: "refused", reason: "too-early", transaction };
  const cell = cellOf(transaction, "deadline");
  if (cell === "undelivered" && isOutcomeAwaited(transaction)) {
    const shown = showUndelivered(transaction, state, place.appendedAtMs);
    const decision = shown === transaction ? "ignored" : "applied";
    return { decision, reason: decision === "applied" ? "outcome-undelivered" : null, transaction: shown };
  }
  if (cell !== "RECONCILIATION") return { decision: "ignored", reason: null, transaction };
  const cause = state === "CREDIT_AUTH_DELIVERED" && transaction.pendingAtMs !== null ? "PDNG" : null;
  const shown = makeAtClose(transaction, state, { row: rows[state] ?? null, cause, atMs: place.appendedAtMs });
  return { decision: "applied", reason: null, transaction: enter(shown, "CREDIT_AUTH_RECONCILIATION", byFact(place), null) };
}

/** Interface section 7 by the state met; null: 7 or 8, set by the answer to the stop. */
const rows: Readonly<Partial<Record<State, number | null>>> = {
  CREDIT_AUTH_RECEIVED: 4,
  CREDIT_AUTH_ACCEPTED: 4,
  CREDIT_AUTH_DELIVERY_PENDING: null,
  CREDIT_AUTH_DELIVERED: 9,
};
