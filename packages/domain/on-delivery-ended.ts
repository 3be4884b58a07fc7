// A delivery has ended at the dispatcher. It names the message sent; the cell of the table counts for a delivery that the state waits for: the
// message that the state sent, and in RECONCILIATION also the one of the state before.
//
// 1. A declined message stays parked until a change arrives. So when a delivery that the transaction has finished with comes back as
//    declined, it is stopped (again). An acknowledged or stopped one has ended by itself and needs no answer, and the answer to a stop is
//    always "stopped": so there is no loop.
// 2. An outcome (O) is told until the connector acknowledges it, also after a close; only a newer one takes its place. One that says what people found
//    out (`on-resolution.ts`) has no cell: acknowledged, it is told; declined, that is noted and it stays parked for a redrive.
// 3. A credit counts as refused only if no attempt at all, of this delivery or of one before a redrive, may have been taken.

import { statesOf } from "./cell.ts";
import { byFact, enter, tell } from "./entry.ts";
import type { DeliveryEnded, Place } from "./fact.ts";
import type { SentLetter } from "./ids.ts";
import { sentIdentification } from "./ids.ts";
import { isRowAwaited, isShownDoubtful, noteLateAnswer, outcomeAnswer, setRow, settleBeside, showRefusal } from "./items.ts";
import type { Judgement } from "./outcome.ts";
import { flowOf, operationOf, outcomeNumberAt, receiverOf, sentIn } from "./state-messages.ts";
import { cellOf } from "./table.ts";
import type { State, Transaction, Transition } from "./transaction.ts";
import { isOutcomeAwaited } from "./transaction.ts";

/** An acknowledgement's code where the evidence names none. */
const httpAccepted = 202;

export function onDeliveryEnded(transaction: Transaction, fact: DeliveryEnded, place: Place): Judgement {
  const letter = letterOf(transaction, fact.messageIdentification);
  if (letter === null || transaction.state === "ORPHAN") return unsent(transaction, fact);
  if (!isAwaited(transaction, fact, letter)) return finished(transaction, fact, letter, place);
  if (letter === "O" && fact.outcome === "stopped") return { decision: "ignored", reason: "delivery-finished", transaction };
  if (isOfResolution(transaction, fact)) return resolutionEnded(transaction, fact, place);
  const cell = cellOf(transaction, columnOf(transaction, fact, letter));
  const heard = letter === "O" && fact.outcome === "acknowledged" ? withOutcomeAcknowledged(transaction, place) : transaction;
  const path = statesOf(flowOf(transaction), cell);
  if (path !== null) return { decision: "applied", reason: reasonOf(fact), transaction: ended(heard, fact, path, place) };
  if (cell === "told") return { decision: "applied", reason: "outcome-acknowledged", transaction: heard };
  if (cell === "row 3") {
    return {
      decision: "applied",
      reason: "refused-by-bank",
      transaction: showRefusal(transaction, transaction.state, place, fact.evidence),
    };
  }
  if (cell === "row") return stopped(transaction, fact);
  if (cell === "late") return late(heard, fact, letter, place);
  return { decision: "refused", reason: "not-in-this-state", transaction };
}

/** The message of that identification, if it was sent. */
function letterOf(transaction: Transaction, messageIdentification: string): SentLetter | null {
  for (const [index, entry] of transaction.transitions.entries()) {
    const letter = sentBy(transaction, entry);
    if (letter === null) continue;
    if (sentIdentification(transaction.uetr, letter, outcomeNumberAt(transaction, index)) === messageIdentification) return letter;
  }
  return isOfResolution(transaction, { messageIdentification }) ? "O" : null;
}

function isOfResolution({ told }: Transaction, { messageIdentification }: Pick<DeliveryEnded, "messageIdentification">): boolean {
  return told.some((entry) => entry.kind === "resolution-outcome" && entry.messageIdentification === messageIdentification);
}

function sentBy(transaction: Transaction, entry: Transition | undefined): SentLetter | null {
  return entry === undefined ? null : sentIn(flowOf(transaction), entry.state);
}

function isAwaited(transaction: Transaction, { messageIdentification }: DeliveryEnded, letter: SentLetter): boolean {
  const isNewest = messageIdentification === sentIdentification(transaction.uetr, "O", transaction.outcome?.number);
  if (letter === "O") return isOutcomeAwaited(transaction) && isNewest;
  const last = transaction.transitions.at(-1);
  if (sentBy(transaction, last) === letter) return true;
  const isReconciliation = last?.state === "RECONCILIATION" || last?.state === "CREDIT_AUTH_RECONCILIATION";
  return isReconciliation && sentBy(transaction, transaction.transitions.at(-2)) === letter;
}

function columnOf(transaction: Transaction, { outcome, evidence }: DeliveryEnded, letter: SentLetter) {
  if (letter === "O") return outcome === "acknowledged" ? "told" : "untold";
  if (outcome !== "refused") return outcome;
  const isDoubtful = letter === "C" && (evidence.mayHaveBeenTaken || isShownDoubtful(transaction));
  return isDoubtful ? "doubtful" : "declined";
}

function reasonOf({ outcome }: DeliveryEnded): "refused-by-bank" | null {
  return outcome === "refused" ? "refused-by-bank" : null;
}

/** Of an answer to a further message (X, Y), or of the outcome of an on-us debit (S), nothing follows; anything else was never sent. */
function unsent(transaction: Transaction, fact: DeliveryEnded): Judgement {
  const isTold = transaction.told.some((told) => told.operation !== null && told.messageIdentification === fact.messageIdentification);
  if (isTold) return { decision: "ignored", reason: "delivery-finished", transaction };
  return { decision: "refused", reason: "delivery-never-sent", transaction };
}

function finished(transaction: Transaction, fact: DeliveryEnded, letter: SentLetter, place: Place): Judgement {
  if (fact.outcome !== "refused") return { decision: "ignored", reason: "delivery-finished", transaction };
  return { decision: "remarked", reason: "stop-again", transaction: stopAgain(transaction, fact, letter, place) };
}

function withOutcomeAcknowledged(transaction: Transaction, place: Place): Transaction {
  const { outcome } = transaction;
  if (outcome === null) throw new Error(`no outcome was told: ${transaction.uetr}`);
  return settleBeside({ ...transaction, outcome: { ...outcome, acknowledgedAtMs: place.appendedAtMs } }, place.appendedAtMs);
}

/** HELD is caused by the acknowledgement of a report, but by no exchange of its own. */
function ended(transaction: Transaction, fact: DeliveryEnded, path: readonly State[], place: Place): Transaction {
  const code = fact.evidence.httpStatusCode ?? (fact.outcome === "acknowledged" ? httpAccepted : null);
  let entered = transaction;
  for (const state of path) entered = enter(entered, state, byFact(place), state === "HELD" ? null : code);
  return entered;
}

function stopped(transaction: Transaction, fact: DeliveryEnded): Judgement {
  if (!isRowAwaited(transaction)) return { decision: "ignored", reason: "delivery-finished", transaction };
  return { decision: "applied", reason: "row-set", transaction: setRow(transaction, fact.evidence, false) };
}

/** What people found out about an item: beside the state, whatever the connector answers. */
function resolutionEnded(transaction: Transaction, fact: DeliveryEnded, place: Place): Judgement {
  if (fact.outcome === "acknowledged") {
    return { decision: "applied", reason: "outcome-acknowledged", transaction: withOutcomeAcknowledged(transaction, place) };
  }
  return {
    decision: "remarked",
    reason: "late-answer",
    transaction: noteLateAnswer(transaction, place, answerText(transaction, fact, "O")),
  };
}

function answerText({ outcome }: Transaction, fact: DeliveryEnded, letter: SentLetter): string {
  const answer = `${fact.outcome}: ${fact.evidence.httpStatusCode ?? "no code"}`;
  return letter === "O" ? outcomeAnswer(outcome?.number ?? 1, answer) : answer;
}

function late(transaction: Transaction, fact: DeliveryEnded, letter: SentLetter, place: Place): Judgement {
  const isRefused = fact.outcome === "refused";
  const noted = noteLateAnswer(transaction, place, answerText(transaction, fact, letter));
  const set = setRow(noted, fact.evidence, isRefused);
  // In the close's own turn the stop is on its way already; an outcome stays parked for a redrive.
  const isAnswered = !isRefused || letter === "O" || transaction.transitions.at(-1)?.offset === place.offset;
  return { decision: "remarked", reason: "late-answer", transaction: isAnswered ? set : stopAgain(set, fact, letter, place) };
}

function stopAgain(transaction: Transaction, { messageIdentification }: DeliveryEnded, letter: SentLetter, place: Place): Transaction {
  return tell(transaction, {
    offset: place.offset,
    atMs: place.appendedAtMs,
    kind: "stop-again",
    operation: operationOf(flowOf(transaction), letter),
    messageIdentification,
    about: messageIdentification,
    receiver: receiverOf(transaction, letter),
    deadlineMs: 0,
  });
}
