// A debit arrives under a UETR: the first makes the transaction; every other has its row in decisions, section 4.

import { byFact, enter, remark, tell } from "./entry.ts";
import type { DirectDebitReceived, MessageIdentity, Place } from "./fact.ts";
import type { Digest } from "./ids.ts";
import { answerIdentification } from "./ids.ts";
import type { LaneView } from "./lane.ts";
import type { Judgement } from "./outcome.ts";
import type { Transaction } from "./transaction.ts";

/** What ingress answered for the message that made the transaction. */
const httpAccepted = 202;

/** `orphan`: reports that came earlier for this UETR; their remarks are kept, they are never applied. */
export function startOfDebit(uetr: string, orphan: Transaction | null, fact: DirectDebitReceived, place: Place, lane: LaneView): Judgement {
  const fresh: Transaction = {
    uetr,
    version: orphan?.version ?? 0,
    applied: place.offset,
    lane: lane.lane,
    state: "RECEIVED",
    message: fact.message,
    receivedAtMs: fact.receivedAtMs,
    scheme: fact.scheme,
    amountTenThousandths: fact.amountTenThousandths,
    currency: fact.currency,
    bank: null,
    businessDate: null,
    closesWith: fact.closesWith,
    queueKey: queueKey(fact.receivedAtMs, uetr),
    finalReport: null,
    finalOutcome: null,
    pendingAtMs: null,
    transitions: [],
    told: [],
    items: [],
    remarks: orphan?.remarks ?? { count: 0, last: [] },
  };
  const transaction = enter(fresh, "RECEIVED", byFact(place), fact.message.messageIdentification, httpAccepted);
  return { decision: "applied", reason: null, transaction };
}

/** Sorts as text by time of receipt, then UETR. */
export function queueKey(receivedAtMs: number, uetr: string): string {
  return `${String(receivedAtMs).padStart(15, "0")}:${uetr}`;
}

export function onDebitAgain(transaction: Transaction, fact: DirectDebitReceived, place: Place, digest: Digest): Judgement {
  const { message } = fact;
  const first = transaction.message;
  if (first === null) throw new Error(`a state without a message: ${transaction.uetr}`);
  const isSameSender = message.sender === first.sender;
  if (isSameSender && message.messageIdentification === first.messageIdentification) {
    const kind = message.contentHash === first.contentHash ? "repeat" : "conflict";
    return { decision: "remarked", reason: kind, transaction: remark(transaction, place, kind, message) };
  }
  if (wasAnswered(transaction, message)) {
    return { decision: "remarked", reason: "repeat", transaction: remark(transaction, place, "repeat", message) };
  }
  const isEqual = isSameSender && message.substanceHash === first.substanceHash;
  const kind = isEqual ? "repeat-other-identification" : "duplicate-refused";
  const remarked = remark(transaction, place, kind, message);
  if (isEqual && !hasReport(transaction)) return { decision: "remarked", reason: kind, transaction: remarked };
  const told = tell(remarked, {
    offset: place.offset,
    atMs: place.appendedAtMs,
    kind: isEqual ? "report-again" : "duplicate-refused",
    messageIdentification: answerIdentification(
      isEqual ? "Y" : "X",
      message.sender,
      transaction.uetr,
      message.messageIdentification,
      digest,
    ),
    about: message.messageIdentification,
    receiver: message.sender,
    deadlineMs: fact.closesAtMs,
  });
  return { decision: "remarked", reason: kind, transaction: told };
}

/** A further message that was answered once is not answered again: its own repeats are repeats. */
function wasAnswered(transaction: Transaction, message: MessageIdentity): boolean {
  return transaction.told.some(
    (told) => told.kind !== "stop-again" && told.receiver === message.sender && told.about === message.messageIdentification,
  );
}

function hasReport(transaction: Transaction): boolean {
  return transaction.transitions.some((entry) => entry.state === "ACCEPTED" || entry.state === "REJECTED");
}
