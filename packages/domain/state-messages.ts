// Which message a state shows (the payload of its event) and which one it sends, by flow.
//
// 1. What a state sends leaves under one identification only: 32 hex digits of the UETR and the letter.
// 2. A debit or credit goes to the bank, a report (A, R) and an outcome (O) to the sender.
// 3. RECONCILIATION shows the last message. Of a credit it sends the outcome PDNG; of a debit it sends nothing.

import type { SentLetter } from "./ids.ts";
import { sentIdentification } from "./ids.ts";
import type { DeliveryOperation, MessageForm } from "./output.ts";
import type { CreditState, DebitState, Flow, State, Transaction } from "./transaction.ts";

interface StateMessages {
  /** null: that of the state before. */
  readonly shows: MessageForm | null;
  readonly sends: SentLetter | null;
}

// prettier-ignore
const onUs: Readonly<Record<DebitState, StateMessages>> = {
  RECEIVED:           { shows: "debit-received",  sends: null },
  ACCEPTED:           { shows: "report-accepted", sends: "A" },
  REJECTED:           { shows: "report-rejected", sends: "R" },
  REJECTION_REPORTED: { shows: "report-rejected", sends: null },
  REPORTED:           { shows: "report-accepted", sends: null },
  HELD:               { shows: "debit-received",  sends: null },
  RELEASED:           { shows: "inbound-debit",   sends: "D" },
  DELIVERED:          { shows: "inbound-debit",   sends: null },
  COMPLETED:          { shows: "final-report",    sends: null },
  UNPAID:             { shows: "final-report",    sends: null },
  RECONCILIATION:     { shows: null,              sends: null },
};

// prettier-ignore
const offUs: Readonly<Record<DebitState, StateMessages>> = {
  ...onUs,
  ACCEPTED:           { shows: "debit-received",  sends: null },
  REJECTED:           { shows: "outcome-report",  sends: "O" },
  REJECTION_REPORTED: { shows: "outcome-report",  sends: null },
  COMPLETED:          { shows: "final-report",    sends: "O" },
  UNPAID:             { shows: "final-report",    sends: "O" },
};

// prettier-ignore
const credit: Readonly<Record<CreditState, StateMessages>> = {
  CREDIT_AUTH_RECEIVED:          { shows: "credit-received", sends: null },
  CREDIT_AUTH_ACCEPTED:          { shows: "credit-received", sends: null },
  CREDIT_AUTH_REJECTED:          { shows: "outcome-report",  sends: "O" },
  CREDIT_AUTH_DELIVERY_PENDING:  { shows: "inbound-credit",  sends: "C" },
  CREDIT_AUTH_DELIVERED:         { shows: "inbound-credit",  sends: null },
  CREDIT_AUTH_RESPONSE_ACCEPTED: { shows: "final-report",    sends: "O" },
  CREDIT_AUTH_DELIVERY_FAILURE:  { shows: "inbound-credit",  sends: "O" },
  CREDIT_AUTH_RECONCILIATION:    { shows: null,              sends: "O" },
};

const byFlow: Readonly<Record<Flow, Readonly<Partial<Record<State, StateMessages>>>>> = { "on-us": onUs, "off-us": offUs, credit };

/** The letter of the message that leaves when this state is entered. */
export function sentIn(flow: Flow, state: State): SentLetter | null {
  return byFlow[flow][state]?.sends ?? null;
}

/** The message that the state after the first `count` transitions shows. */
export function shownAfter(transaction: Transaction, count: number): MessageForm {
  const flow = flowOf(transaction);
  const shown = transaction.transitions.slice(0, count).findLast((entry) => byFlow[flow][entry.state]?.shows !== null);
  const form = shown === undefined ? null : byFlow[flow][shown.state]?.shows;
  if (form === null || form === undefined) throw new Error(`no message of ${transaction.uetr}`);
  return form;
}

/** null: a message that Sluice received. */
export const letters: Readonly<Partial<Record<MessageForm, SentLetter>>> = {
  "report-accepted": "A",
  "report-rejected": "R",
  "inbound-debit": "D",
  "inbound-credit": "C",
  "outcome-report": "O",
};

/** Identification of the message that a state shows on entry; `outcomeNumber`: of the newest outcome told. */
export function identificationIn(transaction: Transaction, state: State): string {
  const form = byFlow[flowOf(transaction)][state]?.shows ?? null;
  if (form === null) return transaction.transitions.at(-1)?.messageIdentification ?? "";
  if (form === "final-report") return transaction.finalReport?.messageIdentification ?? "";
  const letter = letters[form];
  if (letter === undefined) return transaction.message?.messageIdentification ?? "";
  return sentIdentification(transaction.uetr, letter, transaction.outcome?.number);
}

/** Number of the outcome that the transition at `index` tells, or that was told last before it: how many were told by then. */
export function outcomeNumberAt(transaction: Transaction, index: number): number {
  const flow = flowOf(transaction);
  return transaction.transitions.slice(0, index + 1).filter((entry) => sentIn(flow, entry.state) === "O").length;
}

/** How a message with this letter is sent. */
export function operationOf(flow: Flow, letter: SentLetter): DeliveryOperation {
  if (letter === "D") return "inboundDirectDebit";
  if (letter === "C") return "inboundCreditTransferAuthorization";
  return answerOperations[flow];
}

/** How the sender of a debit or credit is answered: a bank by report, a connector by the outcome's operation. */
export const answerOperations = {
  "on-us": "outboundDirectDebitResponse",
  "off-us": "inboundDirectDebitResponse",
  credit: "inboundCreditTransferAuthorizationResponse",
} as const satisfies Readonly<Record<Flow, DeliveryOperation>>;

/** Receiver of a delivery. */
export function receiverOf(transaction: Transaction, letter: SentLetter): string {
  const isForBank = letter === "D" || letter === "C";
  const receiver = isForBank ? transaction.bank : (transaction.message?.sender ?? null);
  if (receiver === null) throw new Error(`no receiver of ${letter} for ${transaction.uetr}`);
  return receiver;
}

/** Only an orphan has none, and it has no state. */
export function flowOf(transaction: Transaction): Flow {
  if (transaction.flow === null) throw new Error(`a state without a flow: ${transaction.uetr}`);
  return transaction.flow;
}
