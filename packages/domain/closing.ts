// The reconciliation close. The marker DayReconciled of the day that a transaction closes with, and nothing else, makes
// RECONCILIATION of what is unresolved; DayClosed only wakes those that have no further fact.
//
// 1. One item per close: an open early item (row 3) is taken over, otherwise one is made.
// 2. Row and cause are a function of the state met, the lane's markers and, for RELEASED, the answer to the stop.

import { enter } from "./entry.ts";
import type { Cause } from "./entry.ts";
import { dayKey } from "./fact.ts";
import type { DeliveryEvidence, Place } from "./fact.ts";
import { isGateOpenFor } from "./gate.ts";
import type { LaneView, PassedMarker } from "./lane.ts";
import type { Item, ItemCause, State, Transaction } from "./transaction.ts";
import { isUnresolved, lateAnswersKept } from "./transaction.ts";

/** The close's marker, if the lane passed it below `place`. */
export function reconciledBelow(transaction: Transaction, place: Place, lane: LaneView): PassedMarker | null {
  const passed = lane.passed(transaction.closesWith).find(({ marker }) => marker.kind === "DayReconciled");
  return passed !== undefined && passed.place.offset < place.offset ? passed : null;
}

/**
 * Takes the close's marker if the transaction is unresolved. `before` the fact the marker came while this state stood, so its own
 * time counts; after the fact it applies only now, because of the fact.
 */
export function takeClose(transaction: Transaction, place: Place, lane: LaneView, moment: "before" | "after"): Transaction {
  const { state } = transaction;
  if (!isUnresolved(state)) return transaction;
  const passed = reconciledBelow(transaction, place, lane);
  if (passed === null) return transaction;
  const atMs = moment === "before" ? passed.place.appendedAtMs : place.appendedAtMs;
  const cause: Cause = { place, atMs, markerOffset: passed.place.offset };
  const lastMessage = transaction.transitions.at(-1)?.messageIdentification ?? "";
  const items = itemsAtClose(transaction, state, passed, atMs, lane);
  return enter({ ...transaction, items }, "RECONCILIATION", cause, lastMessage, null);
}

function itemsAtClose(transaction: Transaction, state: State, close: PassedMarker, atMs: number, lane: LaneView): readonly Item[] {
  const day = transaction.closesWith;
  if (transaction.items.some(isOpen)) return transaction.items.map((item) => (isOpen(item) ? { ...item, day } : item));
  const row = rows[state] ?? null;
  const cause = causeOf(transaction, state, close, lane);
  return [...transaction.items, { day, row, cause, state, madeAtMs: atMs, evidence: null, settledAtMs: null, lateAnswers: [] }];
}

/** Interface section 7 by the state met; null: 7 or 8, set by the answer to the stop. */
const rows: Readonly<Partial<Record<State, number | null>>> = {
  RECEIVED: 4,
  ACCEPTED: 5,
  REJECTED: 5,
  REPORTED: 0,
  HELD: 0,
  RELEASED: null,
  DELIVERED: 9,
};

function causeOf(transaction: Transaction, state: State, close: PassedMarker, lane: LaneView): ItemCause | null {
  if (state === "HELD") return causeOfHeld(transaction, close, lane);
  if (state === "DELIVERED" && transaction.pendingAtMs !== null) return "PDNG";
  return null;
}

/** WINDOW_MISSED: no window was open while it was held. GATE_CLOSED: its bank's gate was not, in any of them. PACED_OUT: its turn did not come. */
function causeOfHeld(transaction: Transaction, close: PassedMarker, lane: LaneView): ItemCause {
  const heldAt = transaction.transitions.findLast((entry) => entry.state === "HELD")?.offset ?? 0n;
  const markers = lane
    .passed(dayKey(transaction.scheme, transaction.businessDate ?? ""))
    .filter(({ place }) => place.offset < close.place.offset);
  const ends = markers.flatMap(({ marker, place }) => {
    if (marker.kind !== "WindowOpened") return [];
    const closed = markers.find((other) => other.marker.kind === "WindowClosed" && other.marker.number === marker.number);
    const end = closed?.place.offset ?? close.place.offset;
    return end > heldAt && place.offset < end ? [end] : [];
  });
  if (ends.length === 0) return "WINDOW_MISSED";
  return ends.some((end) => isGateOpenFor(transaction.bank, markers, end)) ? "PACED_OUT" : "GATE_CLOSED";
}

export function isOpen(item: Item): boolean {
  return item.settledAtMs === null;
}

/** A not-recoverable answer: the item is shown from this moment, the state stays; a further one renews the evidence. */
export function showEarly(transaction: Transaction, state: State, place: Place, evidence: DeliveryEvidence): Transaction {
  const items = transaction.items.some(isOpen)
    ? transaction.items.map((item) => (isOpen(item) ? { ...item, evidence } : item))
    : [
        ...transaction.items,
        {
          day: transaction.closesWith,
          row: 3,
          cause: null,
          state,
          madeAtMs: place.appendedAtMs,
          evidence,
          settledAtMs: null,
          lateAnswers: [],
        },
      ];
  return { ...transaction, items };
}

/** The first answer of the stopped delivery sets what the item left open; what is set stays. */
export function setRow(transaction: Transaction, evidence: DeliveryEvidence, isRefused: boolean): Transaction {
  const items = transaction.items.map((item) => {
    if (!isOpen(item) || item.evidence !== null) return item;
    return { ...item, row: item.row ?? rowOfReleased(evidence, isRefused), cause: item.cause ?? causeOfStopped(evidence), evidence };
  });
  return { ...transaction, items };
}

function rowOfReleased(evidence: DeliveryEvidence, isRefused: boolean): number {
  if (isRefused) return 3;
  return evidence.anyAnswer ? 8 : 7;
}

function causeOfStopped(evidence: DeliveryEvidence): ItemCause | null {
  if (evidence.isBankPaused) return "BANK_PAUSED";
  return evidence.isBreakerOpen ? "BREAKER_OPEN" : null;
}

export function noteLateAnswer(transaction: Transaction, place: Place, text: string): Transaction {
  const answer = { offset: place.offset, atMs: place.appendedAtMs, text };
  const items = transaction.items.map((item) =>
    isOpen(item) ? { ...item, lateAnswers: [...item.lateAnswers, answer].slice(-lateAnswersKept) } : item,
  );
  return { ...transaction, items };
}
