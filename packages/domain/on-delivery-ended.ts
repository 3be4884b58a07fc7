// A delivery has ended at the dispatcher. It names the message sent; the cell of the table counts for the delivery that the state waits for.
//
// The stop again: a declined message stays parked until a change arrives. So when a delivery that the transaction has finished with comes
// back as declined, it is stopped (again). An acknowledged or stopped one has ended by itself and needs no answer, and the answer to a stop
// is always "stopped": so there is no loop.

import type { Cell } from "./cell.ts";
import { statesOf } from "./cell.ts";
import { isOpen, noteLateAnswer, setRow, showEarly } from "./closing.ts";
import { byFact, enter, tell } from "./entry.ts";
import type { DeliveryEnded, Place } from "./fact.ts";
import type { SentLetter } from "./ids.ts";
import { sentIdentification } from "./ids.ts";
import type { Judgement } from "./outcome.ts";
import { awaitedIn, receiverOf } from "./outputs.ts";
import type { State, Transaction } from "./transaction.ts";

/** An acknowledgement's code where the evidence names none. */
const httpAccepted = 202;

export function onDeliveryEnded(transaction: Transaction, fact: DeliveryEnded, place: Place, cell: Cell): Judgement {
  const letter = letterOf(transaction, fact.messageIdentification);
  if (letter === null) return unsent(transaction, fact);
  if (letter !== awaitedBy(transaction)) return finished(transaction, fact, letter, place);
  const path = statesOf(cell);
  if (path !== null) return { decision: "applied", reason: null, transaction: acknowledged(transaction, fact, path, place) };
  if (cell === "row 3" && transaction.state !== "ORPHAN") {
    return { decision: "applied", reason: "refused-by-bank", transaction: showEarly(transaction, transaction.state, place, fact.evidence) };
  }
  if (cell === "row") return stopped(transaction, fact);
  if (cell === "late") return late(transaction, fact, letter, place);
  return { decision: "refused", reason: "not-in-this-state", transaction };
}

/** The message of that identification, if it was sent. */
function letterOf(transaction: Transaction, messageIdentification: string): SentLetter | null {
  for (const entry of transaction.transitions) {
    const letter = awaitedIn(entry.state);
    if (letter !== null && sentIdentification(transaction.uetr, letter) === messageIdentification) return letter;
  }
  return null;
}

function awaitedBy(transaction: Transaction): SentLetter | null {
  const last = transaction.transitions.at(-1);
  const state = last?.state === "RECONCILIATION" ? transaction.transitions.at(-2)?.state : last?.state;
  return state === undefined ? null : awaitedIn(state);
}

/** Of an answer to a further message (X, Y) nothing follows; anything else was never sent. */
function unsent(transaction: Transaction, fact: DeliveryEnded): Judgement {
  const isTold = transaction.told.some((told) => told.messageIdentification === fact.messageIdentification);
  if (isTold) return { decision: "ignored", reason: "delivery-finished", transaction };
  return { decision: "refused", reason: "delivery-never-sent", transaction };
}

function finished(transaction: Transaction, fact: DeliveryEnded, letter: SentLetter, place: Place): Judgement {
  if (fact.outcome !== "refused") return { decision: "ignored", reason: "delivery-finished", transaction };
  return { decision: "remarked", reason: "stop-again", transaction: stopAgain(transaction, letter, place) };
}

function acknowledged(transaction: Transaction, fact: DeliveryEnded, path: readonly State[], place: Place): Transaction {
  let entered = transaction;
  for (const state of path) {
    const isHeld = state === "HELD";
    const messageIdentification = isHeld ? (transaction.message?.messageIdentification ?? "") : fact.messageIdentification;
    entered = enter(entered, state, byFact(place), messageIdentification, isHeld ? null : (fact.evidence.httpStatusCode ?? httpAccepted));
  }
  return entered;
}

function stopped(transaction: Transaction, fact: DeliveryEnded): Judgement {
  const isWaiting = transaction.items.some((item) => isOpen(item) && item.evidence === null);
  if (!isWaiting) return { decision: "ignored", reason: "delivery-finished", transaction };
  return { decision: "applied", reason: "row-set", transaction: setRow(transaction, fact.evidence, false) };
}

function late(transaction: Transaction, fact: DeliveryEnded, letter: SentLetter, place: Place): Judgement {
  const isRefused = fact.outcome === "refused";
  const noted = noteLateAnswer(transaction, place, `${fact.outcome}: ${fact.evidence.httpStatusCode ?? "no code"}`);
  const set = setRow(noted, fact.evidence, isRefused);
  // In the close's own turn the stop is on its way already.
  const isAnswered = !isRefused || transaction.transitions.at(-1)?.offset === place.offset;
  return { decision: "remarked", reason: "late-answer", transaction: isAnswered ? set : stopAgain(set, letter, place) };
}

function stopAgain(transaction: Transaction, letter: SentLetter, place: Place): Transaction {
  const messageIdentification = sentIdentification(transaction.uetr, letter);
  return tell(transaction, {
    offset: place.offset,
    atMs: place.appendedAtMs,
    kind: "stop-again",
    messageIdentification,
    about: messageIdentification,
    receiver: receiverOf(transaction, letter),
    deadlineMs: 0,
  });
}
