// Which close a transaction has, told from the journal alone: the verdict's day, unless the provisional day was reconciled in the
// transaction's lane before the verdict came.

import type { Evidence, Journey, PlacedRecord } from "./evidence.ts";
import { textAt } from "./value.ts";

export interface Close {
  /** `scheme:date`; empty where no debit is known. */
  readonly day: string;
  /** Its first DayReconciled in the transaction's lane; null while it has not come. */
  readonly marker: PlacedRecord | null;
}

export function closeOf(evidence: Evidence, journey: Journey): Close {
  const { debit, verdict } = journey;
  if (debit === null) return { day: "", marker: null };
  const markerOf = (day: string): PlacedRecord | null =>
    evidence.markers(debit.partition, day).find((record) => record.type === "DayReconciled") ?? null;
  const provisionalDay = textAt(debit.value, "closesWith");
  const provisional: Close = { day: provisionalDay, marker: markerOf(provisionalDay) };
  const isClosedFirst = verdict !== null && provisional.marker !== null && provisional.marker.at < verdict.at;
  if (verdict === null || isClosedFirst) return provisional;
  const day = textAt(verdict.value, "closesWith");
  return { day, marker: markerOf(day) };
}
