// Decides whether a debit may leave: by the markers of the day that the partition has below a given offset, and by
// nothing else (I8).

import { dayKey, type RecordPosition, type Release } from "../../fact.ts";
import { isPausedBelow } from "../../bank/pause-history.ts";
import type { AppliedMarker, PartitionView } from "../../partition-view.ts";
import type { Transaction } from "../transaction.ts";

export type ReleaseRefusal =
  | "other-day"
  | "other-bank"
  | "window-not-open"
  | "window-closed"
  | "bank-paused"
  | "gate-closed"
  | "day-reconciled";

/** Why a release is not valid; null: it is. */
export function findReleaseRefusal(
  transaction: Transaction,
  release: Release,
  place: RecordPosition,
  partition: PartitionView,
): ReleaseRefusal | null {
  if (release.scheme !== transaction.scheme || release.businessDate !== transaction.businessDate) return "other-day";
  if (release.bank !== transaction.bank) return "other-bank";
  const markers = partition
    .markersOf(dayKey(release.scheme, release.businessDate))
    .filter((passed) => passed.position.offset < place.offset);
  const has = (kind: "WindowOpened" | "WindowClosed"): boolean =>
    markers.some(({ marker }) => marker.kind === kind && marker.number === release.windowNumber);
  if (markers.some(({ marker }) => marker.kind === "DayReconciled")) return "day-reconciled";
  if (!has("WindowOpened")) return "window-not-open";
  if (has("WindowClosed")) return "window-closed";
  if (isPausedBelow(partition.bankMarkersOf(release.bank), place)) return "bank-paused";
  return isGateOpenFor(release.bank, markers, place.offset) ? null : "gate-closed";
}

/** True if a GateOpened below `below` names the bank, or names all banks and does not except it. */
export function isGateOpenFor(bank: string | null, markers: readonly AppliedMarker[], below: bigint): boolean {
  return markers.some(({ marker, position }) => {
    if (bank === null || marker.kind !== "GateOpened" || position.offset >= below) return false;
    return marker.banks === null ? !marker.except.includes(bank) : marker.banks.includes(bank);
  });
}
