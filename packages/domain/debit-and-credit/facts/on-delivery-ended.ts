// A delivery has ended at the dispatcher; the fact names its message. The table's cell applies to a delivery that the
// state waits for: that of the message which the state sent, and in RECONCILIATION also the one of the state before.
//
// #1 A declined message stays parked until a change arrives. So when a delivery that the transaction no longer waits
//    for ends as declined, it is stopped (again). An acknowledged or stopped delivery has ended by itself and needs no
//    answer, and the answer to a stop is always "stopped": so there is no loop.
// #2 An outcome report is attempted until the connector acknowledges it, also after a close; only a newer one replaces
//    it. The report of a resolution (`on-resolution.ts`) has no cell: an acknowledgement ends it, a refusal is recorded
//    and leaves it parked for a redrive.
// #3 A credit counts as refused only if the bank cannot have accepted any attempt, of this delivery or of one before a
//    redrive.

import { parsePath } from "../tables/cell.ts";
import { factCause, enterState, addNotice, haveAnswersBeenDropped } from "../entry.ts";
import type { DeliveryEnded, RecordPosition } from "../../fact.ts";
import { isAnswerIdentification, sentIdentification, type SentKind } from "../../ids.ts";
import {
  isRowAwaited,
  isShownRefusalDoubtful,
  recordLateAnswer,
  formatOutcomeAnswer,
  setRow,
  settleDetachedItem,
  showRefusalItem,
} from "../items.ts";
import type { FactResult } from "../result.ts";
import { requireFlow, operationFor, outcomeReportNumberAt, receiverFor, kindSentIn } from "../tables/state-messages.ts";
import { findCell } from "../tables/find-cell.ts";
import { isOutcomeReportAwaited, type State, type Transaction, type Transition } from "../transaction.ts";

/** HTTP status of an acknowledgement whose evidence names none. */
const httpAccepted = 202;

export function onDeliveryEnded(transaction: Transaction, fact: DeliveryEnded, place: RecordPosition): FactResult {
  const sent = findSent(transaction, fact.messageIdentification);
  if (sent === null || transaction.flow === null) return onNoticeEnded(transaction, fact);
  if (!isAwaited(transaction, fact, sent)) return onFinishedEnded(transaction, fact, sent, place);
  if (sent === "outcome-report" && fact.outcome === "stopped") return { decision: "ignored", reason: "delivery-finished", transaction };
  if (isOfResolution(transaction, fact)) return onResolutionEnded(transaction, fact, place);
  const cell = findCell(transaction, toColumn(transaction, fact, sent));
  const updated = sent === "outcome-report" && fact.outcome === "acknowledged" ? withOutcomeAcknowledged(transaction, place) : transaction;
  const path = parsePath(transaction.flow, cell);
  if (path !== null) return { decision: "applied", reason: toReason(fact), transaction: enterPath(updated, fact, path, place) };
  if (cell === "acked") return { decision: "applied", reason: "outcome-acknowledged", transaction: updated };
  if (cell === "row 3") {
    return {
      decision: "applied",
      reason: "refused-by-bank",
      transaction: showRefusalItem(transaction, place, fact.evidence),
    };
  }
  if (cell === "row") return onStopAnswered(transaction, fact);
  if (cell === "late") return onLateAnswer(updated, fact, sent, place);
  return { decision: "refused", reason: "not-in-this-state", transaction };
}

/** The kind of the message with this identification; null if no such message was sent. */
function findSent(transaction: Transaction, messageIdentification: string): SentKind | null {
  const isNamed = (entry: Transition, index: number): boolean => {
    const sent = sentBy(transaction, entry);
    if (sent === null) return false;
    return sentIdentification(transaction.uetr, sent, outcomeReportNumberAt(transaction, index)) === messageIdentification;
  };
  const named = transaction.transitions.find(isNamed);
  if (named !== undefined) return sentBy(transaction, named);
  return isOfResolution(transaction, { messageIdentification }) ? "outcome-report" : null;
}

function isOfResolution({ notices }: Transaction, { messageIdentification }: Pick<DeliveryEnded, "messageIdentification">): boolean {
  return notices.some((entry) => entry.kind === "resolution-outcome" && entry.messageIdentification === messageIdentification);
}

function sentBy(transaction: Transaction, entry: Transition | undefined): SentKind | null {
  return entry === undefined ? null : kindSentIn(requireFlow(transaction), entry.state);
}

function isAwaited(transaction: Transaction, { messageIdentification }: DeliveryEnded, sent: SentKind): boolean {
  const isNewest = messageIdentification === sentIdentification(transaction.uetr, "outcome-report", transaction.outcomeReport?.number);
  if (sent === "outcome-report") return isOutcomeReportAwaited(transaction) && isNewest;
  const last = transaction.transitions.at(-1);
  if (sentBy(transaction, last) === sent) return true;
  const isReconciliation = last?.state === "RECONCILIATION" || last?.state === "CREDIT_AUTH_RECONCILIATION";
  return isReconciliation && sentBy(transaction, transaction.transitions.at(-2)) === sent;
}

function toColumn(transaction: Transaction, { outcome, evidence }: DeliveryEnded, sent: SentKind) {
  if (sent === "outcome-report") return outcome === "acknowledged" ? "outcome-acked" : "outcome-refused";
  if (outcome !== "refused") return outcome;
  const isDoubtful = sent === "inbound-credit" && (evidence.mayHaveBeenTaken || isShownRefusalDoubtful(transaction));
  return isDoubtful ? "doubtful" : "declined";
}

function toReason({ outcome }: DeliveryEnded): "refused-by-bank" | null {
  return outcome === "refused" ? "refused-by-bank" : null;
}

/**
 * Nothing follows from the end of a notice: an answer to a further message, or an on-us outcome report. Anything else
 * was never sent.
 */
function onNoticeEnded(transaction: Transaction, fact: DeliveryEnded): FactResult {
  const isNotice = transaction.notices.some(
    (notice) => notice.operation !== null && notice.messageIdentification === fact.messageIdentification,
  );
  const isDropped = haveAnswersBeenDropped(transaction) && isAnswerIdentification(fact.messageIdentification);
  if (isNotice || isDropped) return { decision: "ignored", reason: "delivery-finished", transaction };
  return { decision: "refused", reason: "delivery-never-sent", transaction };
}

/** A delivery that the transaction no longer waits for (#1). */
function onFinishedEnded(transaction: Transaction, fact: DeliveryEnded, sent: SentKind, place: RecordPosition): FactResult {
  if (fact.outcome !== "refused") return { decision: "ignored", reason: "delivery-finished", transaction };
  return { decision: "recorded", reason: "stop-again", transaction: stopAgain(transaction, fact, sent, place) };
}

function withOutcomeAcknowledged(transaction: Transaction, place: RecordPosition): Transaction {
  const { outcomeReport: outcome } = transaction;
  if (outcome === null) throw new Error(`no outcome report was sent: ${transaction.uetr}`);
  return settleDetachedItem({ ...transaction, outcomeReport: { ...outcome, acknowledgedAtMs: place.appendedAtMs } }, place.appendedAtMs);
}

/** HELD follows from the acknowledgement of a report but has no exchange of its own, so it gets no status code. */
function enterPath(transaction: Transaction, fact: DeliveryEnded, path: readonly State[], place: RecordPosition): Transaction {
  const code = fact.evidence.httpStatusCode ?? (fact.outcome === "acknowledged" ? httpAccepted : null);
  let entered = transaction;
  for (const state of path) entered = enterState(entered, state, factCause(place), state === "HELD" ? null : code);
  return entered;
}

function onStopAnswered(transaction: Transaction, fact: DeliveryEnded): FactResult {
  if (!isRowAwaited(transaction)) return { decision: "ignored", reason: "delivery-finished", transaction };
  return { decision: "applied", reason: "row-set", transaction: setRow(transaction, fact.evidence, false) };
}

/** The report of a resolution changes no state, whatever the connector answers (#2). */
function onResolutionEnded(transaction: Transaction, fact: DeliveryEnded, place: RecordPosition): FactResult {
  if (fact.outcome === "acknowledged") {
    return { decision: "applied", reason: "outcome-acknowledged", transaction: withOutcomeAcknowledged(transaction, place) };
  }
  return {
    decision: "recorded",
    reason: "late-answer",
    transaction: recordLateAnswer(transaction, place, answerText(transaction, fact, "outcome-report")),
  };
}

function answerText({ outcomeReport }: Transaction, fact: DeliveryEnded, sent: SentKind): string {
  const answer = `${fact.outcome}: ${fact.evidence.httpStatusCode ?? "no code"}`;
  return sent === "outcome-report" ? formatOutcomeAnswer(outcomeReport?.number ?? 1, answer) : answer;
}

function onLateAnswer(transaction: Transaction, fact: DeliveryEnded, sent: SentKind, place: RecordPosition): FactResult {
  const isRefused = fact.outcome === "refused";
  const noted = recordLateAnswer(transaction, place, answerText(transaction, fact, sent));
  const set = setRow(noted, fact.evidence, isRefused);
  // The close that was applied with this very record stops the delivery already; an outcome report stays parked for a
  // redrive.
  const isAnswered = !isRefused || sent === "outcome-report" || transaction.transitions.at(-1)?.offset === place.offset;
  return { decision: "recorded", reason: "late-answer", transaction: isAnswered ? set : stopAgain(set, fact, sent, place) };
}

function stopAgain(transaction: Transaction, { messageIdentification }: DeliveryEnded, sent: SentKind, place: RecordPosition): Transaction {
  return addNotice(transaction, {
    offset: place.offset,
    atMs: place.appendedAtMs,
    kind: "stop-again",
    operation: operationFor(requireFlow(transaction), sent),
    messageIdentification,
    about: messageIdentification,
    receiver: receiverFor(transaction, sent),
    deadlineMs: null,
  });
}
