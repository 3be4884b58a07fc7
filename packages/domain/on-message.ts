// A debit or credit arrives under a UETR: the first makes the transaction; every other has its row in decisions, section 4.
//
// Identity of a message is (sender, operation, UETR, messageIdentification); the operation follows from the flow. So a debit and a credit under one
// UETR are never the same message, and the second is one of other content.

import { byFact, enter, remark, tell } from "./entry.ts";
import type { CreditTransferReceived, DirectDebitReceived, Place } from "./fact.ts";
import type { Digest, ReceivedOperation } from "./ids.ts";
import { answerIdentification } from "./ids.ts";
import type { LaneView } from "./lane.ts";
import type { Judgement } from "./outcome.ts";
import { answerOperations } from "./state-messages.ts";
import type { Flow, Transaction } from "./transaction.ts";

export type MessageReceived = DirectDebitReceived | CreditTransferReceived;

/** What ingress answered for the message that made the transaction. */
const httpAccepted = 202;

const operations: Readonly<Record<Flow, ReceivedOperation>> = {
  "on-us": "outboundDirectDebit",
  "off-us": "inboundDirectDebit",
  credit: "inboundCreditTransferAuthorization",
};

/** `orphan`: reports that came earlier for this UETR; their remarks are kept, they are never applied. */
export function startOfTransaction(
  uetr: string,
  orphan: Transaction | null,
  fact: MessageReceived,
  place: Place,
  lane: LaneView,
): Judgement {
  const isCredit = fact.kind === "CreditTransferReceived";
  const state = isCredit ? "CREDIT_AUTH_RECEIVED" : "RECEIVED";
  const fresh: Transaction = {
    uetr,
    version: orphan?.version ?? 0,
    applied: place.offset,
    lane: lane.lane,
    state,
    flow: isCredit ? "credit" : fact.flow,
    message: fact.message,
    receivedAtMs: fact.receivedAtMs,
    scheme: fact.scheme,
    amountTenThousandths: fact.amountTenThousandths,
    currency: fact.currency,
    bank: fact.bank,
    businessDate: isCredit ? fact.businessDate : null,
    closesWith: isCredit ? "" : fact.closesWith,
    deadlineMs: isCredit ? fact.deadlineMs : null,
    wantsOutcomeReport: false,
    outcome: null,
    queueKey: queueKey(fact.receivedAtMs, uetr),
    finalReport: null,
    finalOutcome: null,
    pendingAtMs: null,
    transitions: [],
    told: [],
    items: [],
    remarks: orphan?.remarks ?? { count: 0, last: [] },
    rollsMax: 0,
    parked: orphan?.parked ?? null,
    decisions: orphan?.decisions ?? [],
  };
  return { decision: "applied", reason: null, transaction: enter(fresh, state, byFact(place), httpAccepted) };
}

/** Sorts as text by time of receipt, then UETR. */
export function queueKey(receivedAtMs: number, uetr: string): string {
  return `${String(receivedAtMs).padStart(15, "0")}:${uetr}`;
}

export function onMessageAgain(transaction: Transaction, fact: MessageReceived, place: Place, digest: Digest): Judgement {
  const { message } = fact;
  const flow = fact.kind === "CreditTransferReceived" ? "credit" : fact.flow;
  const first = transaction.message;
  if (first === null) throw new Error(`a state without a message: ${transaction.uetr}`);
  const isSameSide = message.sender === first.sender && flow === transaction.flow;
  if (isSameSide && message.messageIdentification === first.messageIdentification) {
    const kind = message.contentHash === first.contentHash ? "repeat" : "conflict";
    return { decision: "remarked", reason: kind, transaction: remark(transaction, place, kind, message) };
  }
  if (wasAnswered(transaction, flow, fact)) {
    return { decision: "remarked", reason: "repeat", transaction: remark(transaction, place, "repeat", message) };
  }
  const isEqual = isSameSide && message.substanceHash === first.substanceHash;
  const kind = isEqual ? "repeat-other-identification" : "duplicate-refused";
  const remarked = remark(transaction, place, kind, message);
  if (isEqual && !hasReport(transaction)) return { decision: "remarked", reason: kind, transaction: remarked };
  const { sender, messageIdentification } = message;
  const letter = isEqual ? "Y" : "X";
  const told = tell(remarked, {
    offset: place.offset,
    atMs: place.appendedAtMs,
    kind: isEqual ? "report-again" : "duplicate-refused",
    operation: answerOperations[flow],
    messageIdentification: answerIdentification(letter, sender, operations[flow], transaction.uetr, messageIdentification, digest),
    about: messageIdentification,
    receiver: sender,
    deadlineMs: fact.kind === "CreditTransferReceived" ? fact.deadlineMs : fact.closesAtMs,
  });
  return { decision: "remarked", reason: kind, transaction: told };
}

/** A further message that was answered once is not answered again: its own repeats are repeats. */
function wasAnswered(transaction: Transaction, flow: Flow, { message }: MessageReceived): boolean {
  return transaction.told.some(
    (told) =>
      (told.kind === "duplicate-refused" || told.kind === "report-again") &&
      told.receiver === message.sender &&
      told.operation === answerOperations[flow] &&
      told.about === message.messageIdentification,
  );
}

/** On-us the verdict is reported; a connector is told outcomes alone. */
function hasReport({ flow, outcome, transitions }: Transaction): boolean {
  if (flow !== "on-us") return outcome !== null;
  return transitions.some((entry) => entry.state === "ACCEPTED" || entry.state === "REJECTED");
}
