// Which close a transaction has, told from journal and events: the verdict's day, or the last one that it went over to, unless the provisional day was reconciled in the
// transaction's lane before the verdict came. A credit has no such day: its own deadline ends it.

import type { Evidence, Journey, PlacedRecord } from "./evidence.ts";
import { lastDayOf } from "./rolls.ts";
import { numberAt, textAt } from "./value.ts";

export interface Close {
  /** `scheme:date`; empty where no debit is known, and for a credit. */
  readonly day: string;
  /** Its first DayReconciled in the transaction's lane; null while it has not come. */
  readonly marker: PlacedRecord | null;
}

export function closeOf(evidence: Evidence, journey: Journey): Close {
  const { request, verdict } = journey;
  if (request === null || journey.flow === "credit") return { day: "", marker: null };
  const markerOf = (day: string): PlacedRecord | null =>
    evidence.markers(request.partition, day).find((record) => record.type === "DayReconciled") ?? null;
  const provisionalDay = textAt(request.value, "closesWith");
  const provisional: Close = { day: provisionalDay, marker: markerOf(provisionalDay) };
  const isClosedFirst = verdict !== null && provisional.marker !== null && provisional.marker.at < verdict.at;
  if (verdict === null || isClosedFirst) return provisional;
  const day = lastDayOf(journey) ?? textAt(verdict.value, "closesWith");
  return { day, marker: markerOf(day) };
}

/** The first record that ends a credit by its deadline: its append time is not before the deadline that held there. Null: none. */
export function deadlineOf(journey: Journey): PlacedRecord | null {
  const { request, verdict } = journey;
  if (request === null || journey.flow !== "credit") return null;
  const passed = journey.journal.find((record) => {
    const judged = verdict !== null && verdict.at < record.at ? verdict : request;
    const deadlineMs = numberAt(judged.value, "deadlineMs");
    return record.type === "DeadlinePassed" && numberAt(record.value, "deadlineMs") === deadlineMs && record.appendedAtMs >= deadlineMs;
  });
  return passed ?? null;
}
