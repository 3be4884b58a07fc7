// The reconciliation closes that a partition knows to be ahead, by the markers below a record.

import type { DayKey, RecordPosition } from "../../fact.ts";
import type { PartitionView } from "../../partition-view.ts";

export interface CloseAhead {
  readonly day: DayKey;
  readonly closesAtMs: number;
}

/** Lists the days that are not reconciled yet, the nearest close first. Only schemes with debits have days. */
export function closesAhead(place: RecordPosition, partition: PartitionView): readonly CloseAhead[] {
  const ahead = partition.days().flatMap((day) => {
    const below = partition.markersOf(day).filter(({ position }) => position.offset < place.offset);
    if (below.some(({ marker }) => marker.kind === "DayReconciled")) return [];
    const closesAtMs = below.flatMap(({ marker }) => (marker.kind === "DayTimes" ? [marker.reconciliationAtMs] : [])).at(-1);
    return closesAtMs === undefined ? [] : [{ day, closesAtMs }];
  });
  return ahead.toSorted((a, b) => a.closesAtMs - b.closesAtMs || (a.day < b.day ? -1 : 1));
}
