// The few ways in which a transaction grows: an entry into a state, a remark, something told. Bounds are kept here.
//
// 1. Stage versions are gap-free from 1.
// 2. An open item belongs to the state that it was made in: entering another state settles it, except RECONCILIATION, which takes it over.
// 3. A state that sends an outcome counts it: from that entry on it is awaited.
// 4. Answers to further messages never take the places that the transaction's own outcome and stops need.

import type { DayKey, Place } from "./fact.ts";
import { flowOf, identificationIn, sentIn } from "./state-messages.ts";
import type { Item, RemarkKind, State, Told, Transaction, Transition } from "./transaction.ts";
import { answersToldMax, remarksKept, toldMax, transitionsMax } from "./transaction.ts";

export interface Cause {
  /** The record in whose turn it happens. */
  readonly place: Place;
  readonly atMs: number;
  readonly markerOffset: bigint | null;
}

export function byFact(place: Place): Cause {
  return { place, atMs: place.appendedAtMs, markerOffset: null };
}

export function dateOf(day: DayKey): string {
  return day.slice(day.lastIndexOf(":") + 1);
}

/** `httpStatusCode`: of the exchange that caused it. */
export function enter(before: Transaction, state: State, cause: Cause, httpStatusCode: number | null): Transaction {
  if (before.transitions.length >= transitionsMax) throw new Error(`more than ${transitionsMax} transitions: ${before.uetr}`);
  const isOutcome = sentIn(flowOf(before), state) === "O";
  const outcome = isOutcome ? { number: (before.outcome?.number ?? 0) + 1, acknowledgedAtMs: null } : before.outcome;
  const transaction = { ...before, outcome };
  const entry: Transition = {
    stageVersion: transaction.transitions.length + 1,
    state,
    offset: cause.place.offset,
    atMs: cause.atMs,
    markerOffset: cause.markerOffset,
    businessDate: transaction.businessDate ?? dateOf(transaction.closesWith),
    closesWith: transaction.closesWith,
    messageIdentification: identificationIn(transaction, state),
    httpStatusCode,
  };
  const items = isReconciliation(state) ? transaction.items : settled(transaction.items, cause.atMs);
  return { ...transaction, state, transitions: [...transaction.transitions, entry], items };
}

function isReconciliation(state: State): boolean {
  return state === "RECONCILIATION" || state === "CREDIT_AUTH_RECONCILIATION";
}

function settled(items: readonly Item[], atMs: number): readonly Item[] {
  return items.map((item) => (item.settledAtMs === null ? { ...item, settledAtMs: atMs } : item));
}

export function remark(
  transaction: Transaction,
  place: Place,
  kind: RemarkKind,
  message: { readonly messageIdentification: string; readonly sender: string },
): Transaction {
  const entry = {
    offset: place.offset,
    atMs: place.appendedAtMs,
    kind,
    messageIdentification: message.messageIdentification,
    sender: message.sender,
  };
  const last = [...transaction.remarks.last, entry].slice(-remarksKept);
  return { ...transaction, remarks: { count: transaction.remarks.count + 1, last } };
}

/** How full `told` may be for a further one of a kind. */
const toldBefore: Readonly<Record<Told["kind"], number>> = {
  "duplicate-refused": answersToldMax,
  "report-again": answersToldMax,
  "stop-again": toldMax - 1,
  "on-us-outcome": toldMax,
  "resolution-outcome": toldMax,
  redrive: toldMax - 2,
  "redrive-posting": toldMax - 2,
};

/** The same transaction when `told` is full for its kind: then it is only counted, by the remark beside it. */
export function tell(transaction: Transaction, told: Told): Transaction {
  if (transaction.told.length >= toldBefore[told.kind]) return transaction;
  return { ...transaction, told: [...transaction.told, told] };
}
