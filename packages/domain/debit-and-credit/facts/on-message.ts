// A debit or credit arrives under a UETR. The first one creates the transaction; each further one has its row in
// docs/spec/decisions.md D4.
//
// The identity of a message is (sender, operation, UETR, messageIdentification), and the operation follows from the
// flow. So a debit and a credit under one UETR are never the same message: the second one has different content.

import { factCause, enterState, recordObservation, addNotice } from "../entry.ts";
import type { CreditTransferReceived, DirectDebitReceived, RecordPosition } from "../../fact.ts";
import { answerIdentification, type Digest, type ReceivedOperation } from "../../ids.ts";
import type { PartitionView } from "../../partition-view.ts";
import type { FactResult } from "../result.ts";
import { answerOperations } from "../tables/state-messages.ts";
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
    items: [],
    observations: orphan?.observations ?? { count: 0, last: [] },
    carryOversMax: 0,
    quarantined: orphan?.quarantined ?? null,
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
  const { message } = fact;
  const flow = fact.kind === "CreditTransferReceived" ? "credit" : fact.flow;
  const first = transaction.message;
  const isSameSide = message.sender === first.sender && flow === transaction.flow;
  if (isSameSide && message.messageIdentification === first.messageIdentification) {
    const kind = message.contentHash === first.contentHash ? "repeat" : "conflict";
    return { decision: "recorded", reason: kind, transaction: recordObservation(transaction, place, kind, message) };
  }
  if (wasAnswered(transaction, flow, fact)) {
    return { decision: "recorded", reason: "repeat", transaction: recordObservation(transaction, place, "repeat", message) };
  }
  const isEqual = isSameSide && message.substanceHash === first.substanceHash;
  const kind = isEqual ? "repeat-other-identification" : "duplicate-refused";
  const observed = recordObservation(transaction, place, kind, message);
  if (isEqual && !hasReport(transaction)) return { decision: "recorded", reason: kind, transaction: observed };
  const { sender, messageIdentification } = message;
  const answer = isEqual ? "report-again" : "duplicate-refused";
  const answered = addNotice(observed, {
    offset: place.offset,
    atMs: place.appendedAtMs,
    kind: answer,
    operation: answerOperations[flow],
    messageIdentification: answerIdentification(answer, sender, operations[flow], transaction.uetr, messageIdentification, digest),
    about: messageIdentification,
    receiver: sender,
    deadlineMs: fact.kind === "CreditTransferReceived" ? fact.deadlineMs : fact.closesAtMs,
  });
  return { decision: "recorded", reason: kind, transaction: answered };
}

/** True if this further message was answered before: it is answered once, and each repeat of it counts as a repeat. */
function wasAnswered(transaction: Transaction, flow: Flow, { message }: MessageReceived): boolean {
  return transaction.notices.some(
    (notice) =>
      (notice.kind === "duplicate-refused" || notice.kind === "report-again") &&
      notice.receiver === message.sender &&
      notice.operation === answerOperations[flow] &&
      notice.about === message.messageIdentification,
  );
}

/** On-us the verdict is reported; a connector gets outcome reports only. */
function hasReport({ flow, outcomeReport, transitions }: Transaction): boolean {
  if (flow !== "on-us") return outcomeReport !== null;
  return transitions.some((entry) => entry.state === "ACCEPTED" || entry.state === "REJECTED");
}
