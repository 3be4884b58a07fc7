// A bank's report on a debit or a credit. It is applied only if it comes from the bank to which the message was sent,
// after it was sent, and at the address of its flow. Every other report is recorded under the name that D4 of
// docs/spec/decisions.md gives it. A wrong original identification is only a warning, because one inbound debit or
// credit exists for each UETR.

import { parsePath } from "../tables/cell.ts";
import { factCause, enterState, recordObservation, addNotice } from "../entry.ts";
import type { RecordPosition, StatusReportReceived } from "../../fact.ts";
import { sentIdentification } from "../../ids.ts";
import { recordLateAnswer } from "../items.ts";
import type { PartitionView } from "../../partition-view.ts";
import type { FactResult } from "../result.ts";
import { operationFor, receiverFor } from "../tables/state-messages.ts";
import { findCell } from "../tables/find-cell.ts";
import type { ObservationKind, OnUsDebit, OrphanTransaction, ReceivedTransaction, State, Transaction } from "../transaction.ts";

/** HTTP status that ingress answered for the report that ended the transaction. */
const httpAccepted = 202;

/** Keeps a report for an unknown UETR, without a state and without outputs. */
export function startOrphan(uetr: string, fact: StatusReportReceived, place: RecordPosition, partition: PartitionView): FactResult {
  return recordReport(createOrphan(uetr, fact.receivedAtMs, place, partition), fact, place, "report-orphan");
}

/** A transaction for which neither a debit nor a credit was received. */
export function createOrphan(uetr: string, receivedAtMs: number, place: RecordPosition, partition: PartitionView): OrphanTransaction {
  return {
    uetr,
    version: 0,
    applied: place.offset,
    partition: partition.partition,
    state: "ORPHAN",
    flow: null,
    message: null,
    receivedAtMs,
    scheme: null,
    amountTenThousandths: null,
    currency: null,
    bank: null,
    businessDate: null,
    reconciliationDay: null,
    deadlineMs: null,
    wantsOutcomeReport: false,
    outcomeReport: null,
    queueKey: null,
    finalReport: null,
    finalOutcome: null,
    pendingAtMs: null,
    transitions: [],
    notices: [],
    items: [],
    observations: { count: 0, last: [] },
    carryOversMax: 0,
    quarantined: null,
    unreadMessage: null,
    decisions: [],
    usedActions: [],
  };
}

/**
 * The bank to which the message is sent; before the verdict on an on-us debit its sender. Null if only reports are
 * known.
 */
function reportingBank({ bank, message }: Transaction): string | null {
  return bank ?? message?.sender ?? null;
}

export function onReport(
  transaction: Transaction,
  fact: StatusReportReceived,
  place: RecordPosition,
  partition: PartitionView,
): FactResult {
  const bank = reportingBank(transaction);
  if (bank !== null && fact.message.sender !== bank) return recordReport(transaction, fact, place, "report-foreign");
  if (isOfOtherFlow(transaction, fact)) return recordReport(transaction, fact, place, "report-other-flow");
  const known = transaction.finalReport;
  if (known !== null && known.messageIdentification === fact.message.messageIdentification) {
    return recordReport(transaction, fact, place, known.contentHash === fact.message.contentHash ? "report-repeat" : "conflict");
  }
  const earlier = transaction.observations.last.find((entry) => isSame(entry, fact));
  if (earlier !== undefined)
    return recordReport(transaction, fact, place, isContradicted(earlier.kind, fact) ? "conflict" : "report-repeat");
  const cell = findCell(transaction, fact.outcome);
  if (transaction.flow !== null) {
    const path = parsePath(transaction.flow, cell);
    if (path !== null) return applyReport(transaction, fact, path, place, partition);
  }
  if (cell === "pending") return recordReport({ ...transaction, pendingAtMs: place.appendedAtMs }, fact, place, "report-pending");
  if (cell === "late") return recordReport(recordLateAnswer(transaction, place, `report: ${fact.outcome}`), fact, place, "report-late");
  if (cell === "second") {
    return recordReport(transaction, fact, place, fact.outcome === transaction.finalOutcome ? "report-repeat" : "report-contradicting");
  }
  if (cell === "orphan" || cell === "early" || cell === "contradicting") return recordReport(transaction, fact, place, `report-${cell}`);
  throw new Error(`no such answer to a report: ${cell}`);
}

function isOfOtherFlow({ flow }: Transaction, fact: StatusReportReceived): boolean {
  return flow !== null && (flow === "credit") !== (fact.about === "credit");
}

/**
 * A report that was recorded once, for example as too early, is not applied by its repeat, even if it could be applied
 * by now (one effect, I3). A report posted at the other flow's address is another message, because the operation is
 * part of the identity.
 */
function isSame(entry: Transaction["observations"]["last"][number], fact: StatusReportReceived): boolean {
  const { sender, messageIdentification } = fact.message;
  const isReport = entry.kind.startsWith("report-") && entry.kind !== "report-other-flow";
  return isReport && entry.sender === sender && entry.messageIdentification === messageIdentification;
}

function isContradicted(earlier: ObservationKind, fact: StatusReportReceived): boolean {
  return earlier === "report-pending" && fact.outcome !== "pending";
}

function recordReport(transaction: Transaction, fact: StatusReportReceived, place: RecordPosition, kind: ObservationKind): FactResult {
  return { decision: "recorded", reason: kind, transaction: recordObservation(transaction, place, kind, fact.message) };
}

function applyReport(
  transaction: ReceivedTransaction,
  fact: StatusReportReceived,
  path: readonly State[],
  place: RecordPosition,
  partition: PartitionView,
): FactResult {
  const { outcome, message } = fact;
  let entered: ReceivedTransaction = outcome === "pending" ? transaction : { ...transaction, finalReport: message, finalOutcome: outcome };
  // DELIVERED without a status code: the report proves the delivery, which was not acknowledged (`outputs.ts` stops
  // it).
  for (const state of path) entered = enterState(entered, state, factCause(place), isDelivered(state) ? null : httpAccepted);
  if (outcome === "pending") {
    entered = recordObservation({ ...entered, pendingAtMs: place.appendedAtMs }, place, "report-pending", message);
  } else if (entered.flow === "on-us" && entered.wantsOutcomeReport) {
    entered = reportOnUsOutcome(entered, place, partition);
  }
  const sent = sentIdentification(transaction.uetr, transaction.flow === "credit" ? "inbound-credit" : "inbound-debit");
  if (fact.originalMessageIdentification === sent) return { decision: "applied", reason: null, transaction: entered };
  const warned = recordObservation(entered, place, "report-original-differs", message);
  return { decision: "applied", reason: "report-original-differs", transaction: warned };
}

function isDelivered(state: State): boolean {
  return state === "DELIVERED" || state === "CREDIT_AUTH_DELIVERED";
}

/** How long the on-us outcome report is attempted at least, also past the close of the day. */
const onUsOutcomeMinMs = 3_600_000;

/** Sends ACSC or RJCT to the initiating bank of an on-us debit that has ended. It is no state and blocks nothing. */
function reportOnUsOutcome(transaction: OnUsDebit, place: RecordPosition, partition: PartitionView): OnUsDebit {
  const times = partition
    .markersOf(transaction.reconciliationDay)
    .flatMap(({ marker, position: markerPlace }) => (marker.kind === "DayTimes" && markerPlace.offset < place.offset ? [marker] : []));
  return addNotice(transaction, {
    offset: place.offset,
    atMs: place.appendedAtMs,
    kind: "on-us-outcome",
    operation: operationFor(transaction.flow, "on-us-outcome"),
    messageIdentification: sentIdentification(transaction.uetr, "on-us-outcome"),
    about: transaction.message.messageIdentification,
    receiver: receiverFor(transaction, "on-us-outcome"),
    deadlineMs: Math.max(times.at(-1)?.reconciliationAtMs ?? 0, place.appendedAtMs + onUsOutcomeMinMs),
  });
}
