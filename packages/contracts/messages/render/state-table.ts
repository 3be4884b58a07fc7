// What an event shows of the state that a transaction entered: docs/spec/decisions.md D7 and D8 as
// tables, one for each flow.
//
// | state | financial / transaction state | tranInfo.direction | payload | an HTTP exchange caused it |
// RECONCILIATION keeps the direction and the payload of the state before it, and is ON_HOLD if the debit was held.
// CREDIT_AUTH_RESPONSE_ACCEPTED is UNPAID where the bank's report says that it did not book.

import type { EventOutput, Flow, MessageForm, State } from "@sluice/domain";
import { assert } from "@sluice/kernel";
import type { StatusReportReceived } from "../../generated/records.ts";
import { readReportOutcome } from "../read/report-outcome.ts";

export interface StateRow {
  readonly financialTransactionState: string;
  readonly transactionState: string;
  readonly direction: "OUTBOUND" | "INBOUND" | null;
  readonly payload: MessageForm | null;
  readonly isByExchange: boolean;
  /** The two states as events show them. */
  readonly shown: ShownState;
  readonly shownOnHold: ShownState;
}

export type StateTable = Readonly<Partial<Record<State, StateRow>>>;

// prettier-ignore
const onUs: StateTable = {
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

// prettier-ignore
const offUs: StateTable = {
  RECEIVED:           row("IN_PROGRESS", "RECEIVED",      "INBOUND", "debit-received", true),
  ACCEPTED:           row("IN_PROGRESS", "SEND_PENDING",  "INBOUND", "debit-received", false),
  REJECTED:           row("ERROR",       "RECEIVE_ERROR", "INBOUND", "outcome-report", false),
  REJECTION_REPORTED: row("ERROR",       "RECEIVE_ERROR", "INBOUND", "outcome-report", true),
  HELD:               row("IN_PROGRESS", "ON_HOLD",       "INBOUND", "debit-received", false),
  RELEASED:           row("IN_PROGRESS", "SEND_PENDING",  "INBOUND", "inbound-debit",  false),
  DELIVERED:          row("IN_PROGRESS", "SENT",          "INBOUND", "inbound-debit",  true),
  COMPLETED:          row("ACTIONED",    "SENT",          "INBOUND", "final-report",   true),
  UNPAID:             row("UNPAID",      "SENT",          "INBOUND", "final-report",   true),
  RECONCILIATION:     row("UNMATCHED",   "SEND_ERROR",    "INBOUND", null,             false),
};

// prettier-ignore
const credit: StateTable = {
  CREDIT_AUTH_RECEIVED:          row("IN_PROGRESS", "RECEIVE_PENDING", "INBOUND", "credit-received", true),
  CREDIT_AUTH_ACCEPTED:          row("IN_PROGRESS", "RECEIVED",        "INBOUND", "credit-received", false),
  CREDIT_AUTH_REJECTED:          row("ERROR",       "RECEIVE_ERROR",   "INBOUND", "outcome-report",  false),
  CREDIT_AUTH_DELIVERY_PENDING:  row("IN_PROGRESS", "SEND_PENDING",    "INBOUND", "inbound-credit",  false),
  CREDIT_AUTH_DELIVERED:         row("IN_PROGRESS", "SENT",            "INBOUND", "inbound-credit",  true),
  CREDIT_AUTH_RESPONSE_ACCEPTED: row("ACTIONED",    "SENT",            "INBOUND", "final-report",    true),
  CREDIT_AUTH_DELIVERY_FAILURE:  row("ERROR",       "SEND_ERROR",      "INBOUND", "inbound-credit",  true),
  CREDIT_AUTH_RECONCILIATION:    row("UNMATCHED",   "SEND_ERROR",      "INBOUND", null,              false),
};

export const stateTables: Readonly<Record<Flow, StateTable>> = { "on-us": onUs, "off-us": offUs, credit };

/** Returns the row of a state. A state that the flow does not have is a programming error. */
export function stateRow({ flow, state }: Pick<EventOutput, "flow" | "state">): StateRow {
  const found = stateTables[flow][state];
  assert(found !== undefined, `${flow} has no state ${state}`);
  return found;
}

export interface ShownState {
  readonly financialTransactionState: string;
  readonly transactionState: string;
}

export function shownState(output: EventOutput, { finalReport }: { readonly finalReport: StatusReportReceived | null }): ShownState {
  const { shown, shownOnHold } = stateRow(output);
  if (output.wasHeld) return shownOnHold;
  if (output.state !== "CREDIT_AUTH_RESPONSE_ACCEPTED") return shown;
  assert(finalReport !== null, "an end by report has that report");
  const isNegative = readReportOutcome(finalReport.report) === "not-made";
  return isNegative ? { ...shown, financialTransactionState: "UNPAID" } : shown;
}

/** The `type` of the event. A credit's states have the names of their events. */
export function eventTypeFor({ flow, state }: Pick<EventOutput, "flow" | "state">): string {
  return flow === "credit" ? state : `DIRECT_DEBIT_${state}`;
}

/** Every state of every flow, and every event type, each once. */
export const stateNames: readonly string[] = namesOf((_flow, state) => state);
export const eventTypes: readonly string[] = namesOf((flow, state) => eventTypeFor({ flow, state }));

function namesOf(nameOf: (flow: Flow, state: State) => string): readonly string[] {
  const flows: readonly Flow[] = ["on-us", "off-us", "credit"];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a state table are states
  return [...new Set(flows.flatMap((flow) => Object.keys(stateTables[flow]).map((state) => nameOf(flow, state as State))))];
}

function row(
  financialTransactionState: string,
  transactionState: string,
  direction: StateRow["direction"],
  payload: StateRow["payload"],
  isByExchange: boolean,
): StateRow {
  const shown = { financialTransactionState, transactionState };
  return { ...shown, direction, payload, isByExchange, shown, shownOnHold: { ...shown, transactionState: "ON_HOLD" } };
}
