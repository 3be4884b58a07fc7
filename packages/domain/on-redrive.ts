// An operator has a delivery that was refused, or a posting that was given up, tried again: the same id and bytes.
//
// 1. A delivery: the one that the transaction waits for and that lies refused at the dispatcher. What it waits for and is not refused is tried anyway;
//    what it has finished with was stopped. The item stays open until an answer comes.
// 2. A posting: any event of the transaction, whatever became of it; where nothing was given up, nothing happens. It can change no outcome (I13).

import { tell } from "./entry.ts";
import type { Place, RedriveRequested } from "./fact.ts";
import { esmEventId, eventId, sentIdentification } from "./ids.ts";
import type { Digest, SentLetter } from "./ids.ts";
import { isRefusalShown, wasOutcomeRefused } from "./items.ts";
import type { OperatorJudgement } from "./on-operator.ts";
import type { Reason } from "./outcome.ts";
import { flowOf, operationOf, outcomeNumberAt, receiverOf, sentIn } from "./state-messages.ts";
import type { Told, Transaction } from "./transaction.ts";
import { isOutcomeAwaited } from "./transaction.ts";

export function onRedrive(transaction: Transaction, fact: RedriveRequested, place: Place, digest: Digest): OperatorJudgement {
  const told = fact.target === "posting" ? posting(transaction, fact, place, digest) : delivery(transaction, fact, place);
  if (typeof told === "string") return { decision: "refused", reason: told, transaction };
  const redriven = tell(transaction, told);
  if (redriven === transaction) return { decision: "refused", reason: "too-many", transaction };
  return { decision: "applied", reason: told.kind, transaction: redriven };
}

function posting(transaction: Transaction, { messageIdentification }: RedriveRequested, place: Place, digest: Digest): Told | Reason {
  const { uetr, transitions, flow, message } = transaction;
  const isEvent = transitions.some(({ stageVersion }) =>
    [eventId(uetr, stageVersion, digest), esmEventId(uetr, stageVersion, digest)].includes(messageIdentification),
  );
  const receiver = flow === "on-us" ? message?.sender : transaction.bank;
  if (!isEvent || receiver === null || receiver === undefined) return "no-such-event";
  return told("redrive-posting", messageIdentification, receiver, place);
}

function delivery(transaction: Transaction, { messageIdentification }: RedriveRequested, place: Place): Told | Reason {
  const letter = refusedLetter(transaction);
  if (letter === null || messageIdentification !== identificationOf(transaction, letter)) return "nothing-refused";
  const operation = operationOf(flowOf(transaction), letter);
  return { ...told("redrive", messageIdentification, receiverOf(transaction, letter), place), operation };
}

function told(kind: "redrive" | "redrive-posting", messageIdentification: string, receiver: string, place: Place): Told {
  const at = { offset: place.offset, atMs: place.appendedAtMs };
  return { ...at, kind, operation: null, messageIdentification, about: messageIdentification, receiver, deadlineMs: 0 };
}

/** Of the delivery that is awaited and lies refused; null: there is none. */
export function refusedLetter(transaction: Transaction): SentLetter | null {
  const { state, flow } = transaction;
  if (state === "ORPHAN" || flow === null) return null;
  if (isOutcomeAwaited(transaction)) return isOutcomeRefused(transaction) ? "O" : null;
  const letter = sentIn(flow, state);
  return letter !== null && letter !== "O" && isRefusalShown(transaction, letter) ? letter : null;
}

function isOutcomeRefused(transaction: Transaction): boolean {
  const number = transaction.outcome?.number ?? 0;
  if (wasOutcomeRefused(transaction, number)) return true;
  // An item tells of the outcome of a state; what people found out is noted by its number alone.
  const isOfState = outcomeNumberAt(transaction, transaction.transitions.length - 1) === number;
  return isOfState && isRefusalShown(transaction, "O");
}

function identificationOf({ uetr, outcome }: Transaction, letter: SentLetter): string {
  return sentIdentification(uetr, letter, outcome?.number);
}
