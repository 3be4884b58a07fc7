// The few ways in which a transaction grows: an entry into a state, a remark, something told. Bounds are kept here.
//
// 1. Stage versions are gap-free from 1.
// 2. An open item belongs to the state that it was made in: entering another state settles it, except RECONCILIATION, which takes it over.

import type { DayKey, Place } from "./fact.ts";
import type { RemarkKind, State, Told, Transaction } from "./transaction.ts";
import { remarksKept, toldMax, transitionsMax } from "./transaction.ts";

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

export function enter(
  transaction: Transaction,
  state: State,
  cause: Cause,
  messageIdentification: string,
  httpStatusCode: number | null,
): Transaction {
  if (transaction.transitions.length >= transitionsMax) throw new Error(`more than ${transitionsMax} transitions: ${transaction.uetr}`);
  return {
    ...transaction,
    state,
    transitions: [
      ...transaction.transitions,
      {
        stageVersion: transaction.transitions.length + 1,
        state,
        offset: cause.place.offset,
        atMs: cause.atMs,
        markerOffset: cause.markerOffset,
        businessDate: transaction.businessDate ?? dateOf(transaction.closesWith),
        closesWith: transaction.closesWith,
        messageIdentification,
        httpStatusCode,
      },
    ],
    items:
      state === "RECONCILIATION"
        ? transaction.items
        : transaction.items.map((item) => (item.settledAtMs === null ? { ...item, settledAtMs: cause.atMs } : item)),
  };
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

/** The same transaction when `told` is full: then it is only counted, by the remark beside it. */
export function tell(transaction: Transaction, told: Told): Transaction {
  if (transaction.told.length >= toldMax) return transaction;
  return { ...transaction, told: [...transaction.told, told] };
}
