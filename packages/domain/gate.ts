// Whether a debit may leave: judged by the day's markers that the lane passed below a given offset, and by nothing else (I8).

import { dayKey } from "./fact.ts";
import type { Place, Release } from "./fact.ts";
import { isPausedBelow } from "./lane.ts";
import type { LaneView, PassedMarker } from "./lane.ts";
import type { Transaction } from "./transaction.ts";

export type ReleaseRefusal =
  | "other-day"
  | "other-bank"
  | "window-not-open"
  | "window-closed"
  | "bank-paused"
  | "gate-closed"
  | "day-reconciled";

/** null: the release stands. */
export function refusalOfRelease(transaction: Transaction, release: Release, place: Place, lane: LaneView): ReleaseRefusal | null {
  if (release.scheme !== transaction.scheme || release.businessDate !== transaction.businessDate) return "other-day";
  if (release.bank !== transaction.bank) return "other-bank";
  const markers = lane.passed(dayKey(release.scheme, release.businessDate)).filter((passed) => passed.place.offset < place.offset);
  const has = (kind: "WindowOpened" | "WindowClosed"): boolean =>
    markers.some(({ marker }) => marker.kind === kind && marker.number === release.windowNumber);
  if (markers.some(({ marker }) => marker.kind === "DayReconciled")) return "day-reconciled";
  if (!has("WindowOpened")) return "window-not-open";
  if (has("WindowClosed")) return "window-closed";
  if (isPausedBelow(lane, release.bank, place)) return "bank-paused";
  return isGateOpenFor(release.bank, markers, place.offset) ? null : "gate-closed";
}

/** A GateOpened below `below` that names the bank, or names all and does not except it. */
export function isGateOpenFor(bank: string | null, markers: readonly PassedMarker[], below: bigint): boolean {
  return markers.some(({ marker, place }) => {
    if (bank === null || marker.kind !== "GateOpened" || place.offset >= below) return false;
    return marker.banks === null ? !marker.except.includes(bank) : marker.banks.includes(bank);
  });
}
