// Finds the close that ends a transaction, from the journal and the events alone. It is the close of the verdict's day,
// or of the last day that the debit was carried over to. If the provisional day was reconciled in the transaction's
// partition before the verdict came, it is the close of the provisional day. A credit has no such day, because its own
// deadline ends it.

import type { Evidence, Journey, PlacedRecord } from "./evidence.ts";
import { findLastDay } from "./carry-overs.ts";
import { readRecordNumber, readRecordText } from "./record-members.ts";

export interface TransactionClose {
  /** `scheme:date`; empty for a credit, and where no debit is known. */
  readonly day: string;
  /** The day's first DayReconciled in the transaction's partition; null before it is appended. */
  readonly marker: PlacedRecord | null;
}

export function findClose(evidence: Evidence, journey: Journey): TransactionClose {
  const { request, verdict } = journey;
  if (request === null || journey.flow === "credit") return { day: "", marker: null };
  const findReconciled = (day: string): PlacedRecord | null =>
    evidence.markers(request.partition, day).find((record) => record.type === "DayReconciled") ?? null;
  const provisionalDay = readRecordText(request.value, "reconciliationDay");
  const provisional: TransactionClose = { day: provisionalDay, marker: findReconciled(provisionalDay) };
  const isClosedFirst = verdict !== null && provisional.marker !== null && provisional.marker.position < verdict.position;
  if (verdict === null || isClosedFirst) return provisional;
  const day = findLastDay(journey) ?? readRecordText(verdict.value, "reconciliationDay");
  return { day, marker: findReconciled(day) };
}

/**
 * Finds the first DeadlinePassed that ends a credit: one that names the deadline in force at its offset and was not
 * appended before that deadline. Null if there is none.
 */
export function findDeadlinePassed(journey: Journey): PlacedRecord | null {
  const { request, verdict } = journey;
  if (request === null || journey.flow !== "credit") return null;
  const passed = journey.journal.find((record) => {
    const inForce = verdict !== null && verdict.position < record.position ? verdict : request;
    const deadlineMs = readRecordNumber(inForce.value, "deadlineMs");
    return (
      record.type === "DeadlinePassed" && readRecordNumber(record.value, "deadlineMs") === deadlineMs && record.appendedAtMs >= deadlineMs
    );
  });
  return passed ?? null;
}
