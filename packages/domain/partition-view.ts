// The markers that a partition has applied: those of each day and each bank, with their positions. `decide` looks at
// the markers below a fact's offset.

import type { AppliedPause } from "./bank/pause-history.ts";
import type { BankMarker, DayKey, Marker, RecordPosition } from "./fact.ts";

/** The number of partitions of every topic but the probe's, where the configuration names none. */
export const partitionCountDefault = 12;
/** A marker is copied into every partition, and each has a worker, a lease and a share of each bank's limit. */
export const partitionCountMax = 120;

export interface AppliedMarker {
  readonly marker: Marker;
  readonly position: RecordPosition;
}

export type AppliedBankMarker = AppliedPause<BankMarker>;

export interface PartitionView {
  readonly partition: number;
  /** The days of which there are markers, in any order. */
  days(): readonly DayKey[];
  /** Markers of a day in this partition, in the order of their offsets; a repeat (same id) is not among them. */
  markersOf(day: DayKey): readonly AppliedMarker[];
  /** The newest markers of a bank in this partition, in the order of their offsets. */
  bankMarkersOf(bank: string): readonly AppliedBankMarker[];
}

/** An applied marker as plain JSON, in which the state of a partition is stored. */
export interface PlainMarker<M> {
  readonly marker: M;
  readonly offset: string;
  readonly atMs: number;
}

export function toPlainMarker<M>({ marker, position }: { readonly marker: M; readonly position: RecordPosition }): PlainMarker<M> {
  return { marker, offset: String(position.offset), atMs: position.appendedAtMs };
}

export function fromPlainMarker<M>({ marker, offset, atMs }: PlainMarker<M>): { readonly marker: M; readonly position: RecordPosition } {
  return { marker, position: { offset: BigInt(offset), appendedAtMs: atMs } };
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
    days: () => [...byDay.keys()],
    markersOf: (day) => byDay.get(day) ?? [],
    bankMarkersOf: (bank) => sorted.filter(({ marker }) => marker.bank === bank),
  };
}
