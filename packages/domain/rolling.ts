// A held debit goes over to the next business date: HELD is entered again, with that date and its close as deadline.
//
// 1. The marker alone makes it roll: the date's last WindowClosed, where the debit may still roll; or the date's DayVoid, whatever it may, for no
//    window is left to it and no fault of its own. DayClosed only wakes it.
// 2. In the order of the lane: a date that was reconciled before that marker is closed, not rolled. The next date may be over too: then again.
// 3. Each roll counts, a void date's too: `rollsMax` further entries into HELD. It never takes the places that the way to the end needs.
// 4. Times never run backwards: a marker that lies before the last entry applies from that entry's time.

import { statesOf } from "./cell.ts";
import { reconciledBelow } from "./closing.ts";
import { enter } from "./entry.ts";
import { dayKey } from "./fact.ts";
import type { DayVoidMarker, Place, WindowClosedMarker } from "./fact.ts";
import type { LaneView, PassedMarker } from "./lane.ts";
import { cellOf } from "./table.ts";
import type { Transaction } from "./transaction.ts";
import { transitionsMax } from "./transaction.ts";

/** Entries kept free for what a held debit may still meet: its release, delivery and end. */
const entriesKeptFree = 6;

/** How often it went over to a next date. */
export function rollsDone({ transitions }: Pick<Transaction, "transitions">): number {
  return Math.max(0, transitions.filter(({ state }) => state === "HELD").length - 1);
}

/** `before` the fact a marker came while this state stood, so its own time counts; after the fact it applies only now, because of the fact. */
export function takeRolls(transaction: Transaction, place: Place, lane: LaneView, moment: "before" | "after"): Transaction {
  let rolled = transaction;
  for (let next = nextRoll(rolled, place, lane); next !== null; next = nextRoll(rolled, place, lane)) {
    rolled = rollBy(rolled, next, place, moment);
  }
  return rolled;
}

interface Over {
  readonly passed: PassedMarker;
  readonly marker: DayVoidMarker | WindowClosedMarker;
}

/** The marker that it rolls by; null: it stays. */
function nextRoll(transaction: Transaction, place: Place, lane: LaneView): Over | null {
  const over = isHeld(transaction) ? overBelow(transaction, place, lane) : null;
  if (over === null || !mayRoll(transaction, over.marker)) return null;
  const close = reconciledBelow(transaction, place, lane);
  return close !== null && close.place.offset < over.passed.place.offset ? null : over;
}

function isHeld({ flow, state }: Transaction): boolean {
  return flow !== null && statesOf(flow, cellOf({ flow, state }, "over")) !== null;
}

/** The first marker below `place` after which its business date releases nothing more; a void date that was given windows again (DayTimes) does. */
function overBelow({ scheme, businessDate }: Transaction, place: Place, lane: LaneView): Over | null {
  let over: Over | null = null;
  for (const passed of lane.passed(dayKey(scheme, businessDate ?? ""))) {
    const { marker } = passed;
    if (passed.place.offset >= place.offset) break;
    if (marker.kind === "DayTimes" && over?.marker.kind === "DayVoid") over = null;
    if (marker.kind === "DayVoid" || (marker.kind === "WindowClosed" && marker.isLast)) over ??= { passed, marker };
  }
  return over;
}

function mayRoll(transaction: Transaction, { kind, nextBusinessDate }: DayVoidMarker | WindowClosedMarker): boolean {
  const isLater = nextBusinessDate > (transaction.businessDate ?? "");
  const isRoom = transaction.transitions.length < transitionsMax - entriesKeptFree;
  return isLater && isRoom && (kind === "DayVoid" || rollsDone(transaction) < transaction.rollsMax);
}

function rollBy(transaction: Transaction, { passed, marker }: Over, place: Place, moment: "before" | "after"): Transaction {
  const markerMs = moment === "before" ? passed.place.appendedAtMs : place.appendedAtMs;
  const atMs = Math.max(markerMs, transaction.transitions.at(-1)?.atMs ?? markerMs);
  const businessDate = marker.nextBusinessDate;
  const moved = { ...transaction, businessDate, closesWith: dayKey(transaction.scheme, businessDate) };
  return enter(moved, "HELD", { place, atMs, markerOffset: passed.place.offset }, null);
}
