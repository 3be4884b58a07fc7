// A debit or credit arrives under a UETR. The first one creates the transaction; each further one has its row in
// docs/spec/decisions.md D4.
//
// The identity of a message is (sender, operation, UETR, messageIdentification), and the operation follows from the
// flow. So a debit and a credit under one UETR are never the same message: the second one has different content.

import { addAnswer, type AnswerNotice, enterState, factCause, haveAnswersBeenDropped, isAnswer, recordObservation } from "../entry.ts";
import type { CreditTransferReceived, DirectDebitReceived, RecordPosition } from "../../fact.ts";
import { answerIdentification, type AnswerKind, type Digest, type ReceivedOperation } from "../../ids.ts";
import type { PartitionView } from "../../partition-view.ts";
import type { FactResult } from "../result.ts";
import { answerOperations, kindSentIn } from "../tables/state-messages.ts";
import type { Flow, OrphanTransaction, ReceivedTransaction, Transaction } from "../transaction.ts";

export type MessageReceived = DirectDebitReceived | CreditTransferReceived;

/** HTTP status that ingress answered for the message that created the transaction. */
const httpAccepted = 202;

const operations: Readonly<Record<Flow, ReceivedOperation>> = {
  "on-us": "outboundDirectDebit",
  "off-us": "inboundDirectDebit",
  credit: "inboundCreditTransferAuthorization",
};

/**
 * `orphan` holds reports that came earlier for this UETR: their observations are kept, but the reports are never
 * applied.
 */
export function startTransaction(
  uetr: string,
  orphan: OrphanTransaction | null,
  fact: MessageReceived,
  place: RecordPosition,
  partition: PartitionView,
): FactResult {
  const shared = {
    uetr,
    version: orphan?.version ?? 0,
    applied: place.offset,
    partition: partition.partition,
    message: fact.message,
    receivedAtMs: fact.receivedAtMs,
    scheme: fact.scheme,
    amountTenThousandths: fact.amountTenThousandths,
    currency: fact.currency,
    wantsOutcomeReport: false,
    outcomeReport: null,
    queueKey: queueKey(fact.receivedAtMs, uetr),
    finalReport: null,
    finalOutcome: null,
    pendingAtMs: null,
    transitions: [],
    notices: [],
    // Entering the first state settles the item of an unread message.
    items: orphan?.items ?? [],
    observations: orphan?.observations ?? { count: 0, last: [] },
    carryOversMax: 0,
    quarantined: orphan?.quarantined ?? null,
    unreadMessage: orphan?.unreadMessage ?? null,
    decisions: orphan?.decisions ?? [],
    usedActions: orphan?.usedActions ?? [],
  };
  const fresh = withFlow(shared, fact);
  return { decision: "applied", reason: null, transaction: enterState(fresh, fresh.state, factCause(place), httpAccepted) };
}

type OfFlow = "state" | "flow" | "bank" | "businessDate" | "reconciliationDay" | "deadlineMs";

/** Adds what depends on the flow. */
function withFlow(shared: Omit<ReceivedTransaction, OfFlow>, fact: MessageReceived): ReceivedTransaction {
  if (fact.kind === "CreditTransferReceived") {
    const { bank, businessDate, deadlineMs } = fact;
    return { ...shared, state: "CREDIT_AUTH_RECEIVED", flow: "credit", bank, businessDate, reconciliationDay: null, deadlineMs };
  }
  const debit = { ...shared, state: "RECEIVED", businessDate: null, reconciliationDay: fact.reconciliationDay, deadlineMs: null } as const;
  return fact.flow === "on-us" ? { ...debit, flow: fact.flow, bank: null } : { ...debit, flow: fact.flow, bank: fact.bank };
}

/** Builds a key that sorts as text by the time of receipt, then by UETR. */
export function queueKey(receivedAtMs: number, uetr: string): string {
  return `${String(receivedAtMs).padStart(15, "0")}:${uetr}`;
}

export function onFurtherMessage(
  transaction: ReceivedTransaction,
  fact: MessageReceived,
  place: RecordPosition,
  digest: Digest,
): FactResult {
  const kind = wasAnswered(transaction, fact) ? "repeat" : nameFurtherMessage(transaction, fact);
  const observed = recordObservation(transaction, place, kind, fact.message);
  const answer = buildAnswer(transaction, fact, kind, place, digest);
  return { decision: "recorded", reason: kind, transaction: answer === null ? observed : addAnswer(observed, answer) };
}

/**
 * The answer that a replay of a further message makes again because the transaction no longer keeps it: answers made
 * since have taken its place. Null: the message had none, or it is still kept.
 */
export function findDroppedAnswer(
  transaction: Transaction,
  fact: MessageReceived,
  place: RecordPosition,
  digest: Digest,
): AnswerNotice | null {
  const [first] = transaction.transitions;
  if (transaction.flow === null || first === undefined || place.offset <= first.offset) return null;
  if (!haveAnswersBeenDropped(transaction) || transaction.notices.some((kept) => isAnswer(kept) && kept.offset <= place.offset))
    return null;
  return buildAnswer(transaction, fact, nameFurtherMessage(transaction, fact), place, digest);
}

type FurtherKind = "repeat" | "conflict" | "repeat-other-identification" | AnswerKind;

/** Names the case of docs/spec/decisions.md D4. It follows from the two messages alone. */
function nameFurtherMessage(transaction: ReceivedTransaction, fact: MessageReceived): Exclude<FurtherKind, "report-again"> {
  const { message } = fact;
  const first = transaction.message;
  const isSameSide = message.sender === first.sender && flowOf(fact) === transaction.flow;
  if (isSameSide && message.messageIdentification === first.messageIdentification) {
    return message.contentHash === first.contentHash ? "repeat" : "conflict";
  }
  return isSameSide && message.substanceHash === first.substanceHash ? "repeat-other-identification" : "duplicate-refused";
}

function flowOf(fact: MessageReceived): Flow {
  return fact.kind === "CreditTransferReceived" ? "credit" : fact.flow;
}

function buildAnswer(
  transaction: ReceivedTransaction,
  fact: MessageReceived,
  found: FurtherKind,
  place: RecordPosition,
  digest: Digest,
): AnswerNotice | null {
  if (found === "repeat" || found === "conflict") return null;
  if (found === "repeat-other-identification" && !hadReport(transaction, place)) return null;
  const flow = flowOf(fact);
  const kind = found === "duplicate-refused" ? found : "report-again";
  const { sender, messageIdentification } = fact.message;
  return {
    offset: place.offset,
    atMs: place.appendedAtMs,
    kind,
    operation: answerOperations[flow],
    messageIdentification: answerIdentification(kind, sender, operations[flow], transaction.uetr, messageIdentification, digest),
    about: messageIdentification,
    receiver: sender,
    deadlineMs: fact.kind === "CreditTransferReceived" ? fact.deadlineMs : fact.closesAtMs,
  };
}

/**
 * True if this further message is known to have been answered: each repeat of it counts as a repeat. One whose answer
 * is no longer kept is answered again, under the same identification.
 */
function wasAnswered(transaction: Transaction, fact: MessageReceived): boolean {
  const operation = answerOperations[flowOf(fact)];
  const { sender, messageIdentification } = fact.message;
  return transaction.notices.some(
    (notice) => isAnswer(notice) && notice.receiver === sender && notice.operation === operation && notice.about === messageIdentification,
  );
}

/** On-us the verdict is reported; a connector gets outcome reports only. */
function hadReport({ flow, transitions, notices }: ReceivedTransaction, { offset }: RecordPosition): boolean {
  const before = transitions.filter((entry) => entry.offset <= offset);
  if (flow === "on-us") return before.some(({ state }) => state === "ACCEPTED" || state === "REJECTED");
  const isResolved = notices.some((notice) => notice.kind === "resolution-outcome" && notice.offset < offset);
  return isResolved || before.some(({ state }) => kindSentIn(flow, state) === "outcome-report");
}
