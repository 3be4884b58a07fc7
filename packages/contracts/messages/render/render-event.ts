// Event postings of class TRANSACTION_STATE: the finished body, and the columns that analysts filter and sum by.
//
// #1 A replay gives the same bytes although more is known by then: only states that had the verdict show it.
// #2 `sample` leaves out the members that the interface's sample does not show.
// #3 `none` leaves out the payload; `masked` shows it without names and with the last four digits of accounts.

import type { EventOutput } from "@sluice/domain";
import { findServiceCode } from "@sluice/domain/schemes";
import { assert } from "@sluice/kernel";
import type { EsmStateEvent, TransactionStateEvent } from "../../generated/records.ts";
import { maskMessage } from "./mask-message.ts";
import { encodeTexts } from "../json/encode-texts.ts";
import { type EventDocument, eventTexts, type TransactionInfo, writeEventHead } from "./event-writers.ts";
import { flowFromRecord, isCreditRecord, messageFromRecord, type PaymentReceived, uetrFromRecord } from "../../wire/payment-received.ts";
import type { MessageSources } from "./message-sources.ts";
import { messageText, showMessage, type ShownMessage, utcText } from "./render-message.ts";
import { eventTypeFor, eventTypes, shownState, stateRow } from "./state-table.ts";

export const apiVersion = "1.0.0";
const eventClass = "TRANSACTION_STATE";

export interface EventShape {
  readonly eventShape: "full" | "sample";
  readonly eventPayload: "full" | "masked" | "none";
}

/** The columns of a TransactionStateEvent that follow from the output and the message alone. */
export type EventColumns = Omit<TransactionStateEvent, "bank" | "deadlineMs" | "body">;

export function eventColumns(output: EventOutput, { received }: MessageSources): EventColumns {
  const { amounts, paymentScheme } = messageFromRecord(received);
  return {
    id: output.id,
    uetr: uetrFromRecord(received),
    stageVersion: output.stageVersion,
    state: output.state,
    type: eventTypeFor(output),
    scheme: paymentScheme.schema,
    service: serviceFor(output, paymentScheme.schema),
    direction: output.direction,
    businessDate: output.businessDate,
    amount: amounts.bankSettlementAmount,
    enteredAtMs: output.enteredAtMs,
    causedByOffset: output.causedByOffset,
  };
}

export function renderEventBody(output: EventOutput, sources: MessageSources, options: EventShape): Uint8Array {
  const row = stateRow(output);
  assert(output.flow === flowFromRecord(sources.received), `an event of the flow ${output.flow} shows a message of it`);
  assert(row.payload === null || row.payload === output.payload, `${output.state} shows ${String(row.payload)}`);
  assert(row.direction === null || row.direction === output.direction, `${output.state} is ${String(row.direction)}`);
  const shown = showMessage(output.payload, sources, output);
  const { transactionIdentifiers, paymentScheme } = messageFromRecord(sources.received);
  const { direction } = output;
  const service = serviceFor(output, paymentScheme.schema);
  const isFull = options.eventShape === "full";
  const document: EventDocument = {
    stageVersion: output.stageVersion,
    actionDate: isFull ? actionDate(output, sources.received) : null,
    creationDateTime: isFull ? utcText(output.enteredAtMs) : null,
    tranInfo: { tranUetr: transactionIdentifiers.uetr, direction, paymentScheme: paymentScheme.schema, service },
    messageInfo: { ...shown.outgoing.message.messageIdentifiers, httpStatusCode: row.isByExchange ? output.httpStatusCode : null },
    identifiers: isFull ? transactionIdentifiers : null,
    state: isFull ? shownState(output, sources) : null,
    transactionInfo: isFull ? buildTransactionInfo(output, sources) : null,
  };
  return encodeTexts(...eventTexts(headFor(eventTypeFor(output)), document, payloadText(shown, options)));
}

/** #3 */
function payloadText(shown: ShownMessage, { eventPayload }: EventShape): string | null {
  if (eventPayload === "none") return null;
  return eventPayload === "masked" ? messageText(maskMessage(shown.outgoing)) : shown.text;
}

const heads: ReadonlyMap<string, string> = new Map(
  eventTypes.map((type) => [type, writeEventHead({ name: `${eventClass}_${type}`, apiVersion, class: eventClass, type })]),
);

function headFor(type: string): string {
  const head = heads.get(type);
  assert(head !== undefined, `${type} is the type of an event`);
  return head;
}

/**
 * The date at which the transaction is to take effect: the business date. In RECEIVED nobody has checked the message
 * yet; a date that it names is shown as it is, because the provisional date is that of the next close.
 */
export function actionDate({ state, flow, businessDate }: EventOutput, received: PaymentReceived): string {
  if (state !== "RECEIVED" || isCreditRecord(received)) return businessDate;
  const { requestedCollectionDate, settlementDate } = received.debit;
  return (flow === "on-us" ? requestedCollectionDate : null) ?? settlementDate ?? businessDate;
}

export function buildTransactionInfo(output: EventOutput, { verdict }: MessageSources): TransactionInfo {
  return {
    direction: output.flow === "on-us" ? "ON_US" : "INBOUND",
    paymentType: output.flow === "credit" ? "CREDIT" : "DEBIT",
    recordType: "PAYMENT",
    returnType: output.state === "UNPAID" ? "UNPAID" : null,
    subService: isBeforeVerdict(output) || verdict === null ? null : subServiceAfter(verdict.subService, output.carryOvers),
  };
}

const subServices = ["SAME_DAY", "ONE_DAY", "TWO_DAY"];

/**
 * Derives the sub-service: each carry-over of a held debit adds one working day to the verdict's, and two or more are
 * TWO_DAY.
 */
function subServiceAfter(verdict: string, carryOvers: number): string {
  const days = subServices.indexOf(verdict);
  return days < 0 ? verdict : (subServices[Math.min(days + carryOvers, subServices.length - 1)] ?? verdict);
}

function serviceFor({ flow }: EventOutput, scheme: string): EsmStateEvent["service"] {
  const service = findServiceCode(scheme, flow === "credit" ? "credits" : "debits");
  assert(service !== null, "ingress takes messages of schemes that have their flow");
  return service;
}

/**
 * Tells whether the state precedes the verdict: the first state, or a close that met the transaction in it. That state
 * shows the message received and was not held. (A transaction that passed the checks shows the same message, but is
 * held, or being delivered, within the same record.)
 */
function isBeforeVerdict({ state, payload, wasHeld }: EventOutput): boolean {
  if (state === "RECEIVED" || state === "CREDIT_AUTH_RECEIVED") return true;
  const isClose = state === "RECONCILIATION" || state === "CREDIT_AUTH_RECONCILIATION";
  return isClose && (payload === "debit-received" || payload === "credit-received") && !wasHeld;
}
