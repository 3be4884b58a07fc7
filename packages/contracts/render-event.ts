// Event postings: the finished body, and the columns that analysts filter and sum by.
//
// 1. A replay gives the same bytes, although more is known by then: the verdict is shown only by states that had it.
// 2. `sample` leaves out the members that the interface's sample does not show.

import type { EventOutput } from "@sluice/domain";
import { assert } from "@sluice/runtime";
import type { Amount, TransactionStateEvent } from "./generated/records.ts";
import { eventText } from "./message-writers.ts";
import type { EventDocument } from "./message-writers.ts";
import { renderMessage, utcText } from "./render-message.ts";
import type { MessageSources } from "./render-message.ts";
import { stateTable } from "./state-table.ts";

const apiVersion = "1.0.0";
const eventClass = "TRANSACTION_STATE";
const service = "EFT_DIRECT_DEBIT";

export interface EventShape {
  readonly eventShape: "full" | "sample";
}

/** The columns of a TransactionStateEvent that follow from the output and the debit alone. */
export type EventColumns = Pick<
  TransactionStateEvent,
  | "id"
  | "uetr"
  | "stageVersion"
  | "state"
  | "type"
  | "scheme"
  | "service"
  | "direction"
  | "businessDate"
  | "amount"
  | "enteredAtMs"
  | "causedByOffset"
>;

export function eventColumns(output: EventOutput, sources: MessageSources): EventColumns {
  const { debit } = sources.received;
  const amount: Amount = debit.amounts.bankSettlementAmount;
  return {
    id: output.id,
    uetr: debit.transactionIdentifiers.uetr.toLowerCase(),
    stageVersion: output.stageVersion,
    state: output.state,
    type: `DIRECT_DEBIT_${output.state}`,
    scheme: debit.paymentScheme.schema,
    service,
    direction: output.direction,
    businessDate: output.businessDate,
    amount,
    enteredAtMs: output.enteredAtMs,
    causedByOffset: output.causedByOffset,
  };
}

export function renderEventBody(output: EventOutput, sources: MessageSources, options: EventShape): Uint8Array {
  const row = stateTable[output.state];
  assert(row.payload === null || row.payload === output.payload, `${output.state} shows ${String(row.payload)}`);
  assert(row.direction === null || row.direction === output.direction, `${output.state} is ${String(row.direction)}`);
  const payload = renderMessage(output.payload, sources, output);
  const type = `DIRECT_DEBIT_${output.state}`;
  const { transactionIdentifiers, paymentScheme } = sources.received.debit;
  const isFull = options.eventShape === "full";
  const document: EventDocument = {
    name: `${eventClass}_${type}`,
    apiVersion,
    class: eventClass,
    type,
    stageVersion: output.stageVersion,
    actionDate: isFull ? output.businessDate : null,
    creationDateTime: isFull ? utcText(output.enteredAtMs) : null,
    tranInfo: { tranUetr: transactionIdentifiers.uetr, direction: output.direction, paymentScheme: paymentScheme.schema, service },
    messageInfo: { ...payload.identifiers, httpStatusCode: row.isByExchange ? output.httpStatusCode : null },
    identifiers: isFull ? transactionIdentifiers : null,
    state: isFull ? stateOf(output) : null,
    transactionInfo: isFull ? transactionInfoOf(output, sources) : null,
    payload: payload.text,
  };
  return new TextEncoder().encode(eventText(document));
}

function stateOf(output: EventOutput): EventDocument["state"] {
  const { financialTransactionState, transactionState } = stateTable[output.state];
  return { financialTransactionState, transactionState: output.wasHeld ? "ON_HOLD" : transactionState };
}

function transactionInfoOf(output: EventOutput, { verdict }: MessageSources): EventDocument["transactionInfo"] {
  return {
    direction: "ON_US",
    paymentType: "DEBIT",
    recordType: "PAYMENT",
    returnType: output.state === "UNPAID" ? "UNPAID" : null,
    subService: isBeforeVerdict(output) ? null : (verdict?.subService ?? null),
  };
}

/** RECEIVED, or a close that met the debit there: that one shows the debit received, and was not held. */
function isBeforeVerdict({ state, payload, wasHeld }: EventOutput): boolean {
  return state === "RECEIVED" || (state === "RECONCILIATION" && payload === "debit-received" && !wasHeld);
}
