// The reconciliation close of a debit. Only the marker DayReconciled of its `reconciliationDay` turns what is
// unresolved into RECONCILIATION; DayClosed only wakes debits that get no further fact. A credit has a deadline
// instead: `on-deadline.ts`.
//
// #1 The item's row and cause follow from the state at the close, the partition's markers and, for RELEASED, the answer
//    to the stop.
// #2 An orphan with an unread message gets one item of row 4. It stays an orphan.
// #3 An off-us debit that has ended, but whose outcome report the connector has not acknowledged by then, gets one
//    detached item; the report is attempted further.
// #4 An unread message may be older than every day that its partition knows. It takes the day of the close that wakes
//    it.

import { enterState, type EntryCause } from "../entry.ts";
import { dayKey, type DayKey, type RecordPosition } from "../../fact.ts";
import { isGateOpenFor } from "./release-gate.ts";
import { makeCloseItem, makeUnreadItem, showUndeliveredItem } from "../items.ts";
import { isPausedBelow } from "../../bank/pause-history.ts";
import type { AppliedMarker, PartitionView } from "../../partition-view.ts";
import { findCell } from "../tables/find-cell.ts";
import type { ReconciliationReason } from "../reconciliation-reasons.ts";
import { isOutcomeReportAwaited, type OrphanTransaction, type ReceivedTransaction, type State, type Transaction } from "../transaction.ts";

/** The marker of the close, if the partition has it below `place`; a credit has none. */
export function closeMarkerBelow(transaction: Transaction, place: RecordPosition, partition: PartitionView): AppliedMarker | null {
  const { reconciliationDay } = transaction;
  if (reconciliationDay === null) return null;
  const applied = partition.markersOf(reconciliationDay).find(({ marker }) => marker.kind === "DayReconciled");
  return applied !== undefined && applied.position.offset < place.offset ? applied : null;
}

/**
 * Applies the marker of the close as the table's column says. Before the fact, the marker's own time counts, because it
 * came while the transaction was in this state. After the fact, the fact's time counts, because only the fact made the
 * marker apply.
 */
export function takeClose(
  transaction: Transaction,
  place: RecordPosition,
  partition: PartitionView,
  moment: "before" | "after",
): Transaction {
  const applied = closeMarkerBelow(transaction, place, partition);
  if (applied === null) return transaction;
  const markerMs = moment === "before" ? applied.position.appendedAtMs : place.appendedAtMs;
  if (transaction.flow === null) return makeUnreadItem(transaction, markerMs);
  const { state } = transaction;
  const atMs = Math.max(markerMs, transaction.transitions.at(-1)?.atMs ?? markerMs);
  const cell = findCell(transaction, "close");
  if (cell === "undelivered") return isOutcomeReportAwaited(transaction) ? showUndeliveredItem(transaction, atMs) : transaction;
  if (cell !== "RECONCILIATION") return transaction;
  const cause: EntryCause = { position: place, atMs, markerOffset: applied.position.offset };
  const shown = makeCloseItem(transaction, {
    row: rows[state] ?? null,
    cause: findCause(transaction, state, applied, partition),
    atMs,
  });
  return enterState(shown, "RECONCILIATION", cause, null);
}

/** Makes the item of an unread message that has no day (#4), unless `day` was over before the message lay unread. */
export function closeUndated(orphan: OrphanTransaction, day: DayKey, place: RecordPosition, partition: PartitionView): Transaction {
  const dated = { ...orphan, reconciliationDay: day };
  const applied = closeMarkerBelow(dated, place, partition);
  if (applied === null || applied.position.offset < (orphan.unreadMessage?.offset ?? place.offset)) return orphan;
  return takeClose(dated, place, partition, "after");
}

/** Row by the state at the close (docs/spec/decisions.md D9); null: 7 or 8, set by the answer to the stop. */
const rows: Readonly<Partial<Record<State, number | null>>> = {
  RECEIVED: 4,
  ACCEPTED: 5,
  REJECTED: 5,
  REPORTED: 0,
  HELD: 0,
  RELEASED: null,
  DELIVERED: 9,
};

function findCause(
  transaction: ReceivedTransaction,
  state: State,
  close: AppliedMarker,
  partition: PartitionView,
): ReconciliationReason | null {
  if (state === "HELD") return findHeldCause(transaction, close, partition);
  if (state === "DELIVERED" && transaction.pendingAtMs !== null) return "PDNG";
  return null;
}

/**
 * Finds why a held debit was not released. The bank counts as paused if it was whenever a window closed in which its
 * gate was open; a maintenance that had ended by then does not count.
 */
function findHeldCause(transaction: ReceivedTransaction, close: AppliedMarker, partition: PartitionView): ReconciliationReason {
  const { scheme, businessDate, bank } = transaction;
  if (bank === null || businessDate === null) throw new Error(`held before its verdict: ${transaction.uetr}`);
  const heldAt = transaction.transitions.findLast((entry) => entry.state === "HELD")?.offset ?? 0n;
  const markers = partition.markersOf(dayKey(scheme, businessDate)).filter(({ position }) => position.offset < close.position.offset);
  const ends = markers.flatMap(({ marker, position: place }) => {
    if (marker.kind !== "WindowOpened") return [];
    const closed = markers.find((other) => other.marker.kind === "WindowClosed" && other.marker.number === marker.number);
    const end = closed?.position ?? close.position;
    return end.offset > heldAt && place.offset < end.offset ? [end] : [];
  });
  if (ends.length === 0) return "WINDOW_MISSED";
  const usable = ends.filter(({ offset }) => isGateOpenFor(bank, markers, offset));
  if (usable.length === 0) return "GATE_CLOSED";
  const pauses = partition.bankMarkersOf(bank);
  return usable.every((end) => isPausedBelow(pauses, end)) ? "BANK_PAUSED" : "NOT_REACHED_BEFORE_CLOSE";
}
