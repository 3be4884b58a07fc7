// The three ways in which a transaction grows: an entry into a state, an observation and a notice. Their bounds are
// kept here.
//
// #1 Stage versions count from 1 without gaps.
// #2 An open item belongs to the state in which it was made: entering another state settles it, except RECONCILIATION,
//    which takes it over.
// #3 A state that sends an outcome report counts it; from that entry on the report is awaited.
// #4 Answers to further messages never use the places that the transaction's own outcome reports and stops need.

import type { DayKey, RecordPosition } from "../fact.ts";
import { identificationShownIn, kindSentIn, requireReceived } from "./tables/state-messages.ts";
import {
  answerNoticesMax,
  type Item,
  type Notice,
  noticesMax,
  type ObservationKind,
  observationsKept,
  type ReceivedTransaction,
  type State,
  type Transaction,
  type Transition,
  transitionsMax,
} from "./transaction.ts";

export interface EntryCause {
  /** The record that is being handled. */
  readonly position: RecordPosition;
  readonly atMs: number;
  readonly markerOffset: bigint | null;
}

export function factCause(place: RecordPosition): EntryCause {
  return { position: place, atMs: place.appendedAtMs, markerOffset: null };
}

function dateFromDayKey(day: DayKey): string {
  return day.slice(day.lastIndexOf(":") + 1);
}

/** The date under which an entry is made; a debit has none of its own before its verdict. */
function entryDate(transaction: ReceivedTransaction): string {
  if (transaction.flow === "credit") return transaction.businessDate;
  return transaction.businessDate ?? dateFromDayKey(transaction.reconciliationDay);
}

/** `httpStatusCode` is that of the exchange that caused the entry. */
export function enterState(transaction: Transaction, state: State, cause: EntryCause, httpStatusCode: number | null): ReceivedTransaction {
  const before = countOutcomeReport(requireReceived(transaction), state);
  if (before.transitions.length >= transitionsMax) throw new Error(`more than ${transitionsMax} transitions: ${before.uetr}`);
  const entry: Transition = {
    stageVersion: before.transitions.length + 1,
    state,
    offset: cause.position.offset,
    atMs: cause.atMs,
    markerOffset: cause.markerOffset,
    businessDate: entryDate(before),
    reconciliationDay: before.reconciliationDay,
    messageIdentification: identificationShownIn(before, state),
    httpStatusCode,
  };
  const items = isReconciliation(state) ? before.items : settleItems(before.items, cause.atMs);
  return { ...before, state, transitions: [...before.transitions, entry], items };
}

/** #3 */
function countOutcomeReport(transaction: ReceivedTransaction, state: State): ReceivedTransaction {
  if (kindSentIn(transaction.flow, state) !== "outcome-report") return transaction;
  return { ...transaction, outcomeReport: { number: (transaction.outcomeReport?.number ?? 0) + 1, acknowledgedAtMs: null } };
}

function isReconciliation(state: State): boolean {
  return state === "RECONCILIATION" || state === "CREDIT_AUTH_RECONCILIATION";
}

function settleItems(items: readonly Item[], atMs: number): readonly Item[] {
  return items.map((item) => (item.settledAtMs === null ? { ...item, settledAtMs: atMs } : item));
}

export function recordObservation<T extends Transaction>(
  transaction: T,
  place: RecordPosition,
  kind: ObservationKind,
  message: { readonly messageIdentification: string; readonly sender: string },
): T {
  const entry = {
    offset: place.offset,
    atMs: place.appendedAtMs,
    kind,
    messageIdentification: message.messageIdentification,
    sender: message.sender,
  };
  const last = [...transaction.observations.last, entry].slice(-observationsKept);
  return { ...transaction, observations: { count: transaction.observations.count + 1, last } };
}

/** How many notices there may be for a further one of each kind to be added. */
const noticesBefore: Readonly<Record<Notice["kind"], number>> = {
  "duplicate-refused": answerNoticesMax,
  "report-again": answerNoticesMax,
  "stop-again": noticesMax - 1,
  "on-us-outcome": noticesMax,
  "resolution-outcome": noticesMax,
  redrive: noticesMax - 2,
  "redrive-posting": noticesMax - 2,
};

/**
 * Returns the same transaction when there is no place for a notice of this kind: then only its observation counts it.
 */
export function addNotice<T extends Transaction>(transaction: T, notice: Notice): T {
  if (transaction.notices.length >= noticesBefore[notice.kind]) return transaction;
  return { ...transaction, notices: [...transaction.notices, notice] };
}
