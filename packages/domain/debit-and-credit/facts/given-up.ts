// The delivery that a transaction waits for, and whether it was given up: refused by its receiver, or stopped by an
// operator and not redriven since.

import type { OwnNotice } from "../entry.ts";
import type { RecordPosition } from "../../fact.ts";
import { type Digest, esmEventId, eventId, sentIdentification, type SentKind } from "../../ids.ts";
import { isRefusalShown, wasOutcomeRefused } from "../items.ts";
import { requireFlow, operationFor, outcomeReportNumberAt, receiverFor, kindSentIn } from "../tables/state-messages.ts";
import { isOutcomeReportAwaited, type Notice, type Transaction } from "../transaction.ts";

export interface AwaitedDelivery extends Pick<Notice, "messageIdentification" | "operation" | "receiver"> {
  readonly sent: SentKind;
}

/** Null: the transaction waits for no delivery. */
export function awaitedDelivery(transaction: Transaction): AwaitedDelivery | null {
  const sent = findAwaited(transaction);
  if (sent === null) return null;
  return {
    sent,
    messageIdentification: sentIdentification(transaction.uetr, sent, transaction.outcomeReport?.number),
    operation: operationFor(requireFlow(transaction), sent),
    receiver: receiverFor(transaction, sent),
  };
}

function findAwaited(transaction: Transaction): SentKind | null {
  if (transaction.flow === null) return null;
  if (isOutcomeReportAwaited(transaction)) return "outcome-report";
  const sent = kindSentIn(transaction.flow, transaction.state);
  return sent === "outcome-report" ? null : sent;
}

/** True if nothing is tried of it until a redrive. */
export function isGivenUp(transaction: Transaction, awaited: AwaitedDelivery): boolean {
  return isRefused(transaction, awaited.sent) || isStopped(transaction, awaited.messageIdentification);
}

function isStopped({ notices }: Transaction, messageIdentification: string): boolean {
  const asked = notices.filter(({ kind }) => kind === "redrive" || kind === "give-up");
  return asked.findLast((notice) => notice.messageIdentification === messageIdentification)?.kind === "give-up";
}

function isRefused(transaction: Transaction, sent: SentKind): boolean {
  return sent === "outcome-report" ? isOutcomeRefused(transaction) : isRefusalShown(transaction, sent);
}

function isOutcomeRefused(transaction: Transaction): boolean {
  const number = transaction.outcomeReport?.number ?? 0;
  if (wasOutcomeRefused(transaction, number)) return true;
  // An item shows the refusal of a state's outcome report; that of a resolution is recorded by its number only.
  const isOfState = outcomeReportNumberAt(transaction, transaction.transitions.length - 1) === number;
  return isOfState && isRefusalShown(transaction, "outcome-report");
}

/** Who receives the posting of this event; null: the transaction has no such event. */
export function findPostingReceiver(transaction: Transaction, messageIdentification: string, digest: Digest): string | null {
  const { uetr, transitions } = transaction;
  const isEvent = transitions.some(({ stageVersion }) =>
    [eventId(uetr, stageVersion, digest), esmEventId(uetr, stageVersion, digest)].includes(messageIdentification),
  );
  if (!isEvent) return null;
  return transaction.flow === "on-us" ? transaction.message.sender : transaction.bank;
}

type RequestKind = "redrive" | "redrive-posting" | "give-up" | "give-up-posting";

/** Builds the notice of what an operator asked of a delivery or posting. */
export function buildRequest(
  kind: RequestKind,
  { messageIdentification, receiver, operation }: Pick<Notice, "messageIdentification" | "receiver" | "operation">,
  place: RecordPosition,
): OwnNotice {
  const at = { offset: place.offset, atMs: place.appendedAtMs };
  return { ...at, kind, operation, messageIdentification, about: messageIdentification, receiver, deadlineMs: null };
}
