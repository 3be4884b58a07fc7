// The markers that a partition has applied: those of each day and each bank, with their positions. `decide` looks at
// the markers below a fact's offset.

import { isPausedAt } from "./bank/bank-state.ts";
import type { BankMarker, DayKey, Marker, RecordPosition } from "./fact.ts";

export interface AppliedMarker {
  readonly marker: Marker;
  readonly position: RecordPosition;
}

export interface AppliedBankMarker {
  readonly marker: BankMarker;
  readonly position: RecordPosition;
}

export interface PartitionView {
  readonly partition: number;
  /** Markers of a day in this partition, in the order of their offsets; a repeat (same id) is not among them. */
  markersOf(day: DayKey): readonly AppliedMarker[];
  /** The newest markers of a bank in this partition, in the order of their offsets. */
  bankMarkersOf(bank: string): readonly AppliedBankMarker[];
}

/**
 * Whether the bank was paused for a record at this position: by the bank's newest marker below the offset. A
 * maintenance counts only for what was appended before its end.
 */
export function isPausedBelow(
  partition: Pick<PartitionView, "bankMarkersOf">,
  bank: string,
  { offset, appendedAtMs }: RecordPosition,
): boolean {
  const marker = partition.bankMarkersOf(bank).findLast(({ position }) => position.offset < offset)?.marker;
  return marker?.kind === "BankPaused" && isPausedAt({ isPaused: true, untilMs: marker.untilMs }, appendedAtMs);
}

/** Creates a view from markers in any order; of repeats the first by offset counts. */
export function createPartitionView(
  partition: number,
  markers: readonly AppliedMarker[],
  ofBanks: readonly AppliedBankMarker[] = [],
): PartitionView {
  const byDay = new Map<DayKey, AppliedMarker[]>();
  const seen = new Set<string>();
  for (const applied of markers.toSorted((a, b) => (a.position.offset < b.position.offset ? -1 : 1))) {
    if (seen.has(applied.marker.id)) continue;
    seen.add(applied.marker.id);
    const day = `${applied.marker.scheme}:${applied.marker.businessDate}`;
    const list = byDay.get(day);
    if (list === undefined) byDay.set(day, [applied]);
    else list.push(applied);
  }
  const sorted = ofBanks.toSorted((a, b) => (a.position.offset < b.position.offset ? -1 : 1));
  return {
    partition,
    markersOf: (day) => byDay.get(day) ?? [],
    bankMarkersOf: (bank) => sorted.filter(({ marker }) => marker.bank === bank),
  };
}
