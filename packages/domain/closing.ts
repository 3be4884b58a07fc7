// The reconciliation close of a debit. The marker DayReconciled of the day that it closes with, and nothing else, makes RECONCILIATION of
// what is unresolved; DayClosed only wakes those that have no further fact. A credit has its own deadline: `on-deadline.ts`.
//
// 1. Row and cause are a function of the state met, the lane's markers and, for RELEASED, the answer to the stop.
// 2. An ended off-us debit whose outcome the connector has not acknowledged by then gets an item beside its state, once; it is told on.

import { enter } from "./entry.ts";
import type { Cause } from "./entry.ts";
import { dayKey } from "./fact.ts";
import type { Place } from "./fact.ts";
import { isGateOpenFor } from "./gate.ts";
import { makeAtClose, showUndelivered } from "./items.ts";
import type { LaneView, PassedMarker } from "./lane.ts";
import { isPausedBelow } from "./lane.ts";
import { cellOf } from "./table.ts";
import type { ItemCause, State, Transaction } from "./transaction.ts";
import { isOutcomeAwaited } from "./transaction.ts";

/** The close's marker, if the lane passed it below `place`; a credit has none. */
export function reconciledBelow(transaction: Transaction, place: Place, lane: LaneView): PassedMarker | null {
  if (transaction.closesWith === "") return null;
  const passed = lane.passed(transaction.closesWith).find(({ marker }) => marker.kind === "DayReconciled");
  return passed !== undefined && passed.place.offset < place.offset ? passed : null;
}

/**
 * Takes the close's marker as the table's column says. `before` the fact the marker came while this state stood, so its own time
 * counts; after the fact it applies only now, because of the fact.
 */
export function takeClose(transaction: Transaction, place: Place, lane: LaneView, moment: "before" | "after"): Transaction {
  const { state } = transaction;
  if (state === "ORPHAN") return transaction;
  const passed = reconciledBelow(transaction, place, lane);
  if (passed === null) return transaction;
  const markerMs = moment === "before" ? passed.place.appendedAtMs : place.appendedAtMs;
  const atMs = Math.max(markerMs, transaction.transitions.at(-1)?.atMs ?? markerMs);
  const cell = cellOf(transaction, "close");
  if (cell === "undelivered") return isOutcomeAwaited(transaction) ? showUndelivered(transaction, state, atMs) : transaction;
  if (cell !== "RECONCILIATION") return transaction;
  const cause: Cause = { place, atMs, markerOffset: passed.place.offset };
  const shown = makeAtClose(transaction, state, { row: rows[state] ?? null, cause: causeOf(transaction, state, passed, lane), atMs });
  return enter(shown, "RECONCILIATION", cause, null);
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

/**
 * WINDOW_MISSED: no window was open while it was held. GATE_CLOSED: its bank's gate was not, in any of them. BANK_PAUSED: its bank was paused when
 * each of those closed that its gate was open in; a maintenance that had ended by then is none. PACED_OUT: its turn did not come.
 */
function causeOfHeld(transaction: Transaction, close: PassedMarker, lane: LaneView): ItemCause {
  const heldAt = transaction.transitions.findLast((entry) => entry.state === "HELD")?.offset ?? 0n;
  const markers = lane
    .passed(dayKey(transaction.scheme, transaction.businessDate ?? ""))
    .filter(({ place }) => place.offset < close.place.offset);
  const ends = markers.flatMap(({ marker, place }) => {
    if (marker.kind !== "WindowOpened") return [];
    const closed = markers.find((other) => other.marker.kind === "WindowClosed" && other.marker.number === marker.number);
    const end = closed?.place ?? close.place;
    return end.offset > heldAt && place.offset < end.offset ? [end] : [];
  });
  if (ends.length === 0) return "WINDOW_MISSED";
  const usable = ends.filter(({ offset }) => isGateOpenFor(transaction.bank, markers, offset));
  if (usable.length === 0) return "GATE_CLOSED";
  return usable.every((end) => isPausedBelow(lane, transaction.bank ?? "", end)) ? "BANK_PAUSED" : "PACED_OUT";
}
