// An operator asks for a refused delivery, or for a posting that was given up, to be attempted again with the same id
// and bytes.
//
// #1 Delivery: it must be the one that the transaction waits for, and it must be refused. A delivery that is not
//    refused is still attempted anyway; one that the transaction no longer waits for was stopped. The item stays open
//    until an answer comes.
// #2 Posting: any event of the transaction. If nothing was given up, nothing happens. It can change no outcome (I13).

import { addNotice, type OwnNotice } from "../entry.ts";
import type { RecordPosition, RedriveRequested } from "../../fact.ts";
import { type Digest, esmEventId, eventId, sentIdentification, type SentKind } from "../../ids.ts";
import { isRefusalShown, wasOutcomeRefused } from "../items.ts";
import type { OperatorResult } from "./on-operator.ts";
import type { DecisionReason } from "../result.ts";
import { requireFlow, operationFor, outcomeReportNumberAt, receiverFor, kindSentIn } from "../tables/state-messages.ts";
import { isOutcomeReportAwaited, type Transaction } from "../transaction.ts";

export function onRedrive(transaction: Transaction, fact: RedriveRequested, place: RecordPosition, digest: Digest): OperatorResult {
  const notice = fact.target === "posting" ? redrivePosting(transaction, fact, place, digest) : redriveDelivery(transaction, fact, place);
  if (typeof notice === "string") return { decision: "refused", reason: notice, transaction };
  const redriven = addNotice(transaction, notice);
  if (redriven === transaction) return { decision: "refused", reason: "too-many", transaction };
  return { decision: "applied", reason: notice.kind, transaction: redriven };
}

function redrivePosting(
  transaction: Transaction,
  { messageIdentification }: RedriveRequested,
  place: RecordPosition,
  digest: Digest,
): OwnNotice | DecisionReason {
  const { uetr, transitions } = transaction;
  const isEvent = transitions.some(({ stageVersion }) =>
    [eventId(uetr, stageVersion, digest), esmEventId(uetr, stageVersion, digest)].includes(messageIdentification),
  );
  const receiver = transaction.flow === "on-us" ? transaction.message.sender : transaction.bank;
  if (!isEvent || receiver === null) return "no-such-event";
  return buildNotice("redrive-posting", messageIdentification, receiver, place);
}

function redriveDelivery(
  transaction: Transaction,
  { messageIdentification }: RedriveRequested,
  place: RecordPosition,
): OwnNotice | DecisionReason {
  const sent = refusedKind(transaction);
  if (sent === null || messageIdentification !== newestIdentification(transaction, sent)) return "nothing-refused";
  const operation = operationFor(requireFlow(transaction), sent);
  return { ...buildNotice("redrive", messageIdentification, receiverFor(transaction, sent), place), operation };
}

function buildNotice(
  kind: "redrive" | "redrive-posting",
  messageIdentification: string,
  receiver: string,
  place: RecordPosition,
): OwnNotice {
  const at = { offset: place.offset, atMs: place.appendedAtMs };
  return { ...at, kind, operation: null, messageIdentification, about: messageIdentification, receiver, deadlineMs: null };
}

/** The message whose delivery is awaited and was refused; null: there is none. */
export function refusedKind(transaction: Transaction): SentKind | null {
  if (transaction.flow === null) return null;
  if (isOutcomeReportAwaited(transaction)) return isOutcomeRefused(transaction) ? "outcome-report" : null;
  const sent = kindSentIn(transaction.flow, transaction.state);
  return sent !== null && sent !== "outcome-report" && isRefusalShown(transaction, sent) ? sent : null;
}

function isOutcomeRefused(transaction: Transaction): boolean {
  const number = transaction.outcomeReport?.number ?? 0;
  if (wasOutcomeRefused(transaction, number)) return true;
  // An item shows the refusal of a state's outcome report; that of a resolution is recorded by its number only.
  const isOfState = outcomeReportNumberAt(transaction, transaction.transitions.length - 1) === number;
  return isOfState && isRefusalShown(transaction, "outcome-report");
}

function newestIdentification({ uetr, outcomeReport }: Transaction, sent: SentKind): string {
  return sentIdentification(uetr, sent, outcomeReport?.number);
}
