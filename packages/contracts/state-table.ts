// What an event says of the state that a debit entered: decisions sections 7 and 8 as a table.
//
// | state              | financial / transaction state | direction | payload          | an HTTP exchange caused it |
// RECONCILIATION keeps the direction and the payload of the state before it, and is ON_HOLD if the debit was held.

import type { MessageForm, State } from "@sluice/domain";

export interface StateRow {
  readonly financialTransactionState: string;
  readonly transactionState: string;
  readonly direction: "OUTBOUND" | "INBOUND" | null;
  readonly payload: MessageForm | null;
  readonly isByExchange: boolean;
}

// prettier-ignore
export const stateTable: Readonly<Record<State, StateRow>> = {
  RECEIVED:           row("IN_PROGRESS", "RECEIVED",      "OUTBOUND", "debit-received",  true),
  ACCEPTED:           row("IN_PROGRESS", "SEND_PENDING",  "OUTBOUND", "report-accepted", false),
  REJECTED:           row("ERROR",       "RECEIVE_ERROR", "OUTBOUND", "report-rejected", false),
  REJECTION_REPORTED: row("ERROR",       "RECEIVE_ERROR", "OUTBOUND", "report-rejected", true),
  REPORTED:           row("IN_PROGRESS", "SENT",          "OUTBOUND", "report-accepted", true),
  HELD:               row("IN_PROGRESS", "ON_HOLD",       "OUTBOUND", "debit-received",  false),
  RELEASED:           row("IN_PROGRESS", "SEND_PENDING",  "INBOUND",  "inbound-debit",   false),
  DELIVERED:          row("IN_PROGRESS", "SENT",          "INBOUND",  "inbound-debit",   true),
  COMPLETED:          row("ACTIONED",    "SENT",          "INBOUND",  "final-report",    true),
  UNPAID:             row("UNPAID",      "SENT",          "INBOUND",  "final-report",    true),
  RECONCILIATION:     row("UNMATCHED",   "SEND_ERROR",    null,       null,              false),
};

function row(
  financialTransactionState: string,
  transactionState: string,
  direction: StateRow["direction"],
  payload: StateRow["payload"],
  isByExchange: boolean,
): StateRow {
  return { financialTransactionState, transactionState, direction, payload, isByExchange };
}
