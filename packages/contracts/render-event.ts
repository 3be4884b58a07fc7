// Event postings of class TRANSACTION_STATE: the finished body, and the columns that analysts filter and sum by.
//
// 1. A replay gives the same bytes, although more is known by then: the verdict is shown only by states that had it.
// 2. `sample` leaves out the members that the interface's sample does not show.
// 3. `none` leaves out the payload; `masked` shows it without names and with the last four digits of accounts.

import type { EventOutput } from "@sluice/domain";
import { assert } from "@sluice/runtime";
import type { EsmStateEvent, TransactionStateEvent } from "./generated/records.ts";
import { masked } from "./mask-message.ts";
import { eventText } from "./event-writers.ts";
import type { EventDocument, TransactionInfo } from "./event-writers.ts";
import { flowOf, messageIn, uetrOf } from "./received-message.ts";
import { messageText, outgoingMessage, utcText } from "./render-message.ts";
import type { MessageSources } from "./render-message.ts";
import { eventTypeOf, shownState, stateRow } from "./state-table.ts";

export const apiVersion = "1.0.0";
const eventClass = "TRANSACTION_STATE";

export interface EventShape {
  readonly eventShape: "full" | "sample";
  readonly eventPayload: "full" | "masked" | "none";
}

/** The columns of a TransactionStateEvent that follow from the output and the message alone. */
export type EventColumns = Omit<TransactionStateEvent, "bank" | "deadlineMs" | "body">;

export function eventColumns(output: EventOutput, { received }: MessageSources): EventColumns {
  const { amounts, paymentScheme } = messageIn(received);
  return {
    id: output.id,
    uetr: uetrOf(received),
    stageVersion: output.stageVersion,
    state: output.state,
    type: eventTypeOf(output),
    scheme: paymentScheme.schema,
    service: serviceOf(output, paymentScheme.schema),
    direction: output.direction,
    businessDate: output.businessDate,
    amount: amounts.bankSettlementAmount,
    enteredAtMs: output.enteredAtMs,
    causedByOffset: output.causedByOffset,
  };
}

export function renderEventBody(output: EventOutput, sources: MessageSources, options: EventShape): Uint8Array {
  const row = stateRow(output);
  assert(output.flow === flowOf(sources.received), `an event of the flow ${output.flow} shows a message of it`);
  assert(row.payload === null || row.payload === output.payload, `${output.state} shows ${String(row.payload)}`);
  assert(row.direction === null || row.direction === output.direction, `${output.state} is ${String(row.direction)}`);
  const shown = outgoingMessage(output.payload, sources, output);
  const { transactionIdentifiers, paymentScheme } = messageIn(sources.received);
  const { direction } = output;
  const service = serviceOf(output, paymentScheme.schema);
  const isFull = options.eventShape === "full";
  const type = eventTypeOf(output);
  const document: EventDocument = {
    name: `${eventClass}_${type}`,
    apiVersion,
    class: eventClass,
    type,
    stageVersion: output.stageVersion,
    actionDate: isFull ? output.businessDate : null,
    creationDateTime: isFull ? utcText(output.enteredAtMs) : null,
    tranInfo: { tranUetr: transactionIdentifiers.uetr, direction, paymentScheme: paymentScheme.schema, service },
    messageInfo: { ...shown.message.messageIdentifiers, httpStatusCode: row.isByExchange ? output.httpStatusCode : null },
    identifiers: isFull ? transactionIdentifiers : null,
    state: isFull ? shownState(output, sources) : null,
    transactionInfo: isFull ? transactionInfoOf(output, sources) : null,
    payload: options.eventPayload === "none" ? null : messageText(options.eventPayload === "masked" ? masked(shown) : shown),
  };
  return new TextEncoder().encode(eventText(document));
}

export function transactionInfoOf(output: EventOutput, { verdict }: MessageSources): TransactionInfo {
  return {
    direction: output.flow === "on-us" ? "ON_US" : "INBOUND",
    paymentType: output.flow === "credit" ? "CREDIT" : "DEBIT",
    recordType: "PAYMENT",
    returnType: output.state === "UNPAID" ? "UNPAID" : null,
    subService: isBeforeVerdict(output) || verdict === null ? null : subServiceAfter(verdict.subService, output.rolls),
  };
}

const subServices = ["SAME_DAY", "ONE_DAY", "TWO_DAY"];

/** Each time a held debit goes over it is one working day later than the verdict said; two or more are TWO_DAY. */
function subServiceAfter(verdict: string, rolls: number): string {
  const days = subServices.indexOf(verdict);
  return days < 0 ? verdict : (subServices[Math.min(days + rolls, subServices.length - 1)] ?? verdict);
}

/** EFT_DIRECT_DEBIT, or the credit service of the scheme: EFT_CREDIT, RTC_CREDIT, RPP_CREDIT. */
function serviceOf({ flow }: EventOutput, scheme: string): EsmStateEvent["service"] {
  return flow === "credit" ? `${scheme.replace(/^ZA_/, "")}_CREDIT` : "EFT_DIRECT_DEBIT";
}

/**
 * The first state, or a close that met the transaction there: that one shows the message received, and was not held. (A debit or
 * credit that passed the checks shows it too, but is held, or on its way, in the same turn.)
 */
function isBeforeVerdict({ state, payload, wasHeld }: EventOutput): boolean {
  if (state === "RECEIVED" || state === "CREDIT_AUTH_RECEIVED") return true;
  const isClose = state === "RECONCILIATION" || state === "CREDIT_AUTH_RECONCILIATION";
  return isClose && (payload === "debit-received" || payload === "credit-received") && !wasHeld;
}
