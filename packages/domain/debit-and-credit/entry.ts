// The three ways in which a transaction grows: an entry into a state, an observation and a notice. Their bounds are
// kept here.
//
// #1 Stage versions count from 1 without gaps.
// #2 An open item belongs to the state in which it was made: entering another state settles it, except RECONCILIATION,
//    which takes it over.
// #3 A state that sends an outcome report counts it; from that entry on the report is awaited.
// #4 Each further message that needs an answer gets one. The newest answers are kept, apart from the transaction's own
//    notices, so that neither takes the other's places; an older answer can be made again (`on-message.ts`).

import type { DayKey, RecordPosition } from "../fact.ts";
import type { AnswerKind } from "../ids.ts";
import { identificationShownIn, kindSentIn, requireReceived } from "./tables/state-messages.ts";
import {
  answerNoticesMax,
  type Item,
  type Notice,
  type ObservationKind,
  observationsKept,
  ownNoticesMax,
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
  // The same list where nothing is settled: the store then is not given it again.
  if (items.every(({ settledAtMs }) => settledAtMs !== null)) return items;
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

type OwnNoticeKind = Exclude<Notice["kind"], AnswerKind>;

/** How many notices of its own a transaction may have for a further one of each kind to be added. */
const ownNoticesBefore: Readonly<Record<OwnNoticeKind, number>> = {
  "stop-again": ownNoticesMax - 1,
  "on-us-outcome": ownNoticesMax,
  "resolution-outcome": ownNoticesMax,
  redrive: ownNoticesMax - 2,
  "redrive-posting": ownNoticesMax - 2,
  "give-up": ownNoticesMax - 2,
  "give-up-posting": ownNoticesMax - 2,
};

export type OwnNotice = Notice & { readonly kind: OwnNoticeKind };

/** Returns the same transaction when there is no place for a notice of this kind. */
export function addNotice<T extends Transaction>(transaction: T, notice: OwnNotice): T {
  const own = transaction.notices.filter((other) => !isAnswer(other));
  if (own.length >= ownNoticesBefore[notice.kind]) return transaction;
  return { ...transaction, notices: [...transaction.notices, notice] };
}

export type AnswerNotice = Notice & { readonly kind: AnswerKind };

export function isAnswer(notice: Notice): notice is AnswerNotice {
  return notice.kind === "duplicate-refused" || notice.kind === "report-again";
}

/** #4 */
export function addAnswer<T extends Transaction>(transaction: T, answer: AnswerNotice): T {
  const oldest = transaction.notices.filter(isAnswer).at(-answerNoticesMax);
  return { ...transaction, notices: [...transaction.notices.filter((notice) => notice !== oldest), answer] };
}

/** True if the transaction may have had more answers than it keeps. */
export function haveAnswersBeenDropped({ notices }: Transaction): boolean {
  return notices.filter(isAnswer).length >= answerNoticesMax;
}
