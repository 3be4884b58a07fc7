// Carries a held debit over to the next business date: HELD is entered again, with that date and its close as the
// deadline.
//
// #1 Only a marker carries a debit over: the date's last WindowClosed, if the debit may still be carried over; or the
//    date's DayVoid, whatever the debit's limit, because no window is left to it through no fault of its own. DayClosed
//    only wakes it.
// #2 The order of the partition counts: a date that was reconciled before that marker is closed, and the debit is not
//    carried over. The next date may be over too: then the debit is carried over again.
// #3 Each carry-over counts, also that of a void date: `carryOversMax` further entries into HELD. It never uses the
//    places that the way to the end needs.
// #4 Times never run backwards: a marker older than the last entry applies from that entry's time.

import { parsePath } from "../tables/cell.ts";
import { closeMarkerBelow } from "./reconciliation-close.ts";
import { enterState } from "../entry.ts";
import { dayKey, type DayKey, type DayVoidMarker, type RecordPosition, type WindowClosedMarker } from "../../fact.ts";
import type { PartitionView, AppliedMarker } from "../../partition-view.ts";
import { findCell } from "../tables/find-cell.ts";
import { type OffUsDebit, type OnUsDebit, type Transaction, transitionsMax } from "../transaction.ts";

type Debit = OnUsDebit | OffUsDebit;

/** Transitions reserved for the rest of a held debit's life: its release, delivery and end. */
const entriesKeptFree = 6;

/** How often the debit was carried over to a next date, by its first `count` entries. */
export function countCarryOvers({ transitions }: Pick<Transaction, "transitions">, count = transitions.length): number {
  const held = transitions.reduce((sum, { state }, index) => (index < count && state === "HELD" ? sum + 1 : sum), 0);
  return Math.max(0, held - 1);
}

/**
 * Before the fact the marker's own time counts; after the fact the fact's time, because only the fact made the marker
 * apply.
 */
export function takeCarryOvers(
  transaction: Transaction,
  place: RecordPosition,
  partition: PartitionView,
  moment: "before" | "after",
): Transaction {
  let carried = transaction;
  while (isDebit(carried)) {
    const next = findCarryOver(carried, place, partition);
    if (next === null) break;
    carried = carryOver(carried, next, place, moment);
  }
  return carried;
}

/** The marker after which a date releases nothing. */
interface LastClose {
  readonly applied: AppliedMarker;
  readonly marker: DayVoidMarker | WindowClosedMarker;
}

/** A last close by which the debit is carried over to `nextBusinessDate`. */
interface CarryOver {
  readonly applied: AppliedMarker;
  readonly nextBusinessDate: string;
}

function isDebit(transaction: Transaction): transaction is Debit {
  return transaction.flow === "on-us" || transaction.flow === "off-us";
}

/** Null: the debit stays. */
function findCarryOver(debit: Debit, place: RecordPosition, partition: PartitionView): CarryOver | null {
  const { businessDate } = debit;
  if (businessDate === null || parsePath(debit.flow, findCell(debit, "last-close")) === null) return null;
  const last = lastCloseBelow(dayKey(debit.scheme, businessDate), place, partition);
  if (last === null) return null;
  const { applied, marker } = last;
  const { nextBusinessDate } = marker;
  if (nextBusinessDate === null || nextBusinessDate <= businessDate || !mayCarryOver(debit, marker)) return null;
  const close = closeMarkerBelow(debit, place, partition);
  return close !== null && close.position.offset < applied.position.offset ? null : { applied, nextBusinessDate };
}

/**
 * The first marker below `place` after which the date releases nothing. A void date that gets windows again (DayTimes)
 * does release.
 */
function lastCloseBelow(day: DayKey, place: RecordPosition, partition: PartitionView): LastClose | null {
  let last: LastClose | null = null;
  for (const applied of partition.markersOf(day)) {
    const { marker } = applied;
    if (applied.position.offset >= place.offset) break;
    if (marker.kind === "DayTimes" && last?.marker.kind === "DayVoid") last = null;
    if (marker.kind === "DayVoid" || (marker.kind === "WindowClosed" && marker.isLast)) last ??= { applied, marker };
  }
  return last;
}

function mayCarryOver(debit: Debit, { kind }: LastClose["marker"]): boolean {
  const isRoom = debit.transitions.length < transitionsMax - entriesKeptFree;
  return isRoom && (kind === "DayVoid" || countCarryOvers(debit) < debit.carryOversMax);
}

function carryOver(
  debit: Debit,
  { applied, nextBusinessDate: businessDate }: CarryOver,
  place: RecordPosition,
  moment: "before" | "after",
): Transaction {
  const markerMs = moment === "before" ? applied.position.appendedAtMs : place.appendedAtMs;
  const atMs = Math.max(markerMs, debit.transitions.at(-1)?.atMs ?? markerMs);
  const moved = { ...debit, businessDate, reconciliationDay: dayKey(debit.scheme, businessDate) };
  return enterState(moved, "HELD", { position: place, atMs, markerOffset: applied.position.offset }, null);
}
