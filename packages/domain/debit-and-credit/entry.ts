// The three ways in which a transaction grows: an entry into a state, an observation and a notice. Their bounds are
// kept here.
//
// #1 Stage versions count from 1 without gaps.
// #2 An open item belongs to the state in which it was made: entering another state settles it, except RECONCILIATION,
//    which takes it over.
// #3 A state that sends an outcome report counts it; from that entry on the report is awaited.
// #4 Answers to further messages never use the places that the transaction's own outcome reports and stops need.

import type { DayKey, RecordPosition } from "../fact.ts";
import { requireFlow, identificationShownIn, kindSentIn } from "./tables/state-messages.ts";
import {
  answerNoticesMax,
  type Item,
  type Notice,
  noticesMax,
  type ObservationKind,
  observationsKept,
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

/** `httpStatusCode` is that of the exchange that caused the entry. */
export function enterState(before: Transaction, state: State, cause: EntryCause, httpStatusCode: number | null): Transaction {
  if (before.transitions.length >= transitionsMax) throw new Error(`more than ${transitionsMax} transitions: ${before.uetr}`);
  const isOutcome = kindSentIn(requireFlow(before), state) === "outcome-report";
  const outcomeReport = isOutcome ? { number: (before.outcomeReport?.number ?? 0) + 1, acknowledgedAtMs: null } : before.outcomeReport;
  const transaction = { ...before, outcomeReport };
  const entry: Transition = {
    stageVersion: transaction.transitions.length + 1,
    state,
    offset: cause.position.offset,
    atMs: cause.atMs,
    markerOffset: cause.markerOffset,
    businessDate: transaction.businessDate ?? dateFromDayKey(transaction.reconciliationDay),
    reconciliationDay: transaction.reconciliationDay,
    messageIdentification: identificationShownIn(transaction, state),
    httpStatusCode,
  };
  const items = isReconciliation(state) ? transaction.items : settleItems(transaction.items, cause.atMs);
  return { ...transaction, state, transitions: [...transaction.transitions, entry], items };
}

function isReconciliation(state: State): boolean {
  return state === "RECONCILIATION" || state === "CREDIT_AUTH_RECONCILIATION";
}

function settleItems(items: readonly Item[], atMs: number): readonly Item[] {
  return items.map((item) => (item.settledAtMs === null ? { ...item, settledAtMs: atMs } : item));
}

export function recordObservation(
  transaction: Transaction,
  place: RecordPosition,
  kind: ObservationKind,
  message: { readonly messageIdentification: string; readonly sender: string },
): Transaction {
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
export function addNotice(transaction: Transaction, notice: Notice): Transaction {
  if (transaction.notices.length >= noticesBefore[notice.kind]) return transaction;
  return { ...transaction, notices: [...transaction.notices, notice] };
}
