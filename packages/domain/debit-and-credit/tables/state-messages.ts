// The message that each state shows (the payload of its event) and the one that it sends, by flow.
//
// #1 What a state sends has one identification only: the 32 hex digits of the UETR and the letter of its kind
//    (`ids.ts`).
// #2 A debit or credit goes to the bank; an accepted, rejected or outcome report goes to the sender.
// #3 RECONCILIATION shows the last message. For a credit it sends the outcome report PDNG; for a debit it sends
//    nothing.

import { isSentKind, sentIdentification, type SentKind } from "../../ids.ts";
import type { MessageForm } from "../output.ts";
import type {
  CreditState,
  DebitState,
  DeliveryOperation,
  Flow,
  ReceivedTransaction,
  State,
  Transaction,
  Transition,
} from "../transaction.ts";

interface StateMessages {
  /** null: it shows what the state before it shows. */
  readonly shows: MessageForm | null;
  readonly sends: SentKind | null;
}

// prettier-ignore
const onUs: Readonly<Record<DebitState, StateMessages>> = {
  RECEIVED:           { shows: "debit-received",  sends: null },
  ACCEPTED:           { shows: "report-accepted", sends: "report-accepted" },
  REJECTED:           { shows: "report-rejected", sends: "report-rejected" },
  REJECTION_REPORTED: { shows: "report-rejected", sends: null },
  REPORTED:           { shows: "report-accepted", sends: null },
  HELD:               { shows: "debit-received",  sends: null },
  RELEASED:           { shows: "inbound-debit",   sends: "inbound-debit" },
  DELIVERED:          { shows: "inbound-debit",   sends: null },
  COMPLETED:          { shows: "final-report",    sends: null },
  UNPAID:             { shows: "final-report",    sends: null },
  RECONCILIATION:     { shows: null,              sends: null },
};

// prettier-ignore
const offUs: Readonly<Record<DebitState, StateMessages>> = {
  ...onUs,
  ACCEPTED:           { shows: "debit-received",  sends: null },
  REJECTED:           { shows: "outcome-report",  sends: "outcome-report" },
  REJECTION_REPORTED: { shows: "outcome-report",  sends: null },
  COMPLETED:          { shows: "final-report",    sends: "outcome-report" },
  UNPAID:             { shows: "final-report",    sends: "outcome-report" },
};

// prettier-ignore
const credit: Readonly<Record<CreditState, StateMessages>> = {
  CREDIT_AUTH_RECEIVED:          { shows: "credit-received", sends: null },
  CREDIT_AUTH_ACCEPTED:          { shows: "credit-received", sends: null },
  CREDIT_AUTH_REJECTED:          { shows: "outcome-report",  sends: "outcome-report" },
  CREDIT_AUTH_DELIVERY_PENDING:  { shows: "inbound-credit",  sends: "inbound-credit" },
  CREDIT_AUTH_DELIVERED:         { shows: "inbound-credit",  sends: null },
  CREDIT_AUTH_RESPONSE_ACCEPTED: { shows: "final-report",    sends: "outcome-report" },
  CREDIT_AUTH_DELIVERY_FAILURE:  { shows: "inbound-credit",  sends: "outcome-report" },
  CREDIT_AUTH_RECONCILIATION:    { shows: null,              sends: "outcome-report" },
};

const byFlow: Readonly<Record<Flow, Readonly<Partial<Record<State, StateMessages>>>>> = { "on-us": onUs, "off-us": offUs, credit };

/** The kind of message that is sent when this state is entered. */
export function kindSentIn(flow: Flow, state: State): SentKind | null {
  return byFlow[flow][state]?.sends ?? null;
}

/** The form of the message that the state after the first `count` transitions shows. */
export function formShownAfter(transaction: Transaction, count: number): MessageForm {
  const flow = requireFlow(transaction);
  const shown = transaction.transitions.findLast((entry, index) => index < count && byFlow[flow][entry.state]?.shows !== null);
  const form = shown === undefined ? null : byFlow[flow][shown.state]?.shows;
  if (form === null || form === undefined) throw new Error(`no message of ${transaction.uetr}`);
  return form;
}

/** Identification of the message that a state shows on entry. */
export function identificationShownIn(transaction: ReceivedTransaction, state: State): string {
  const form = byFlow[transaction.flow][state]?.shows ?? null;
  if (form !== null && isSentKind(form)) return sentIdentification(transaction.uetr, form, transaction.outcomeReport?.number);
  const { message, finalReport, transitions } = transaction;
  const shown = form === null ? transitions.at(-1) : form === "final-report" ? finalReport : message;
  if (shown === null || shown === undefined) throw new Error(`no message for ${state} of ${transaction.uetr}`);
  return shown.messageIdentification;
}

/** Number of the newest outcome report that a state up to the transition at `index` has sent. */
export function outcomeReportNumberAt(transaction: Transaction, index: number): number {
  const flow = requireFlow(transaction);
  const isOutcomeReport = (entry: Transition, at: number): boolean => at <= index && kindSentIn(flow, entry.state) === "outcome-report";
  return transaction.transitions.reduce((sum, entry, at) => (isOutcomeReport(entry, at) ? sum + 1 : sum), 0);
}

/** The operation that sends a message of this kind. */
export function operationFor(flow: Flow, kind: SentKind): DeliveryOperation {
  if (kind === "inbound-debit") return "inboundDirectDebit";
  if (kind === "inbound-credit") return "inboundCreditTransferAuthorization";
  return answerOperations[flow];
}

/** The operation that answers the sender of a debit or credit: a bank by a report, a connector by an outcome report. */
export const answerOperations = {
  "on-us": "outboundDirectDebitResponse",
  "off-us": "inboundDirectDebitResponse",
  credit: "inboundCreditTransferAuthorizationResponse",
} as const satisfies Readonly<Record<Flow, DeliveryOperation>>;

/** Id of the receiver of a message of this kind. */
export function receiverFor(transaction: Transaction, kind: SentKind): string {
  const isForBank = kind === "inbound-debit" || kind === "inbound-credit";
  const receiver = isForBank ? transaction.bank : requireReceived(transaction).message.sender;
  if (receiver === null) throw new Error(`no receiver of ${kind} for ${transaction.uetr}`);
  return receiver;
}

/** Throws for an orphan, for which no message was received. */
export function requireReceived(transaction: Transaction): ReceivedTransaction {
  if (transaction.flow === null) throw new Error(`no message was received: ${transaction.uetr}`);
  return transaction;
}

export function requireFlow(transaction: Transaction): Flow {
  return requireReceived(transaction).flow;
}
