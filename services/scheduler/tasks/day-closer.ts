// The day closer appends a DayClosed for each open transaction that a marker of its day concerns and that no other fact
// brings to the domain. The marker decides; DayClosed only makes the domain look.
//   after the reconciliation    each transaction whose reconciliation day it is: one that is unresolved, and one whose
//                               outcome report the connector has not acknowledged; and each orphan with an unread
//                               message that has no item yet, of that day or of none
//   after the last window       each held debit of the date that may still be carried over to the next business date
//   after the date was voided   each held debit of the date
// Credits close with no day: they have deadlines of their own (`deadlines.ts`).
//
// #1 One reading after the marker is enough: everything before it is written by then, and whatever is decided after it
//    sees the marker itself.
// #2 A day is done when every DayClosed is appended. After any failure its reading starts again (what closed meanwhile
//    is no longer in it); so it does for a marker of the day that comes during the reading: the reconciliation may
//    follow on the last window at once.
// #3 At take-over the days that have an applied marker and still have such transactions are closed again; a second
//    DayClosed changes nothing.

import { dayKey, type DayKey, type Marker } from "@sluice/domain";
import type { Logger, Time } from "@sluice/kernel";
import type { OpenRow, TransactionStore, UnreadRow } from "@sluice/store";
import type { AppendFacts } from "./append-facts.ts";
import type { AppliedMarkers } from "../partition/applied-markers.ts";
import { isReconciled, windowsEndedBy } from "../partition/read-day-markers.ts";
import { failedRunPauseMs, startBackgroundTask } from "./background-task.ts";

export interface DayCloserOptions {
  readonly partition: number;
  readonly markers: AppliedMarkers;
  readonly store: Pick<TransactionStore, "open">;
  readonly append: AppendFacts;
  readonly time: Time;
  readonly logger: Logger;
  /** Open transactions that are read at once. */
  readonly pageRowsMax: number;
}

export interface DayCloser {
  /** Adds an open transaction; called for each one at take-over. */
  fill(row: OpenRow | UnreadRow): void;
  /** Called when the partition has applied a marker. */
  onMarkerApplied(marker: Marker): void;
  wake(): void;
  stop(): void;
}

const appendFactsMax = 1_000;

export function startDayCloser(options: DayCloserOptions): DayCloser {
  const { partition, markers, store, append, time, logger, pageRowsMax } = options;
  /** Days to close; bounded by the days that the partition's markers hold. */
  const days = new Set<DayKey>();
  const task = startBackgroundTask({ name: "day-closer", partition, time, logger, run });

  async function run(): Promise<number | null> {
    const closing = new Set(days);
    if (closing.size === 0) return null;
    // #2: a day that a marker names from here on is read again.
    days.clear();
    let isDone = false;
    try {
      isDone = await appendAll(closing);
    } finally {
      if (!isDone) for (const day of closing) days.add(day);
    }
    return isDone ? null : failedRunPauseMs;
  }

  async function appendAll(closing: ReadonlySet<DayKey>): Promise<boolean> {
    let after: string | null = null;
    let appended = 0;
    do {
      const rows: readonly (OpenRow | UnreadRow)[] = await store.open(partition, after, pageRowsMax);
      const closed = rows.flatMap((row) => {
        const day = findClosedDay(row, markers);
        return day !== null && closing.has(day) ? [{ key: row.uetr, fact: { kind: "DayClosed", day } as const }] : [];
      });
      for (let start = 0; start < closed.length; start += appendFactsMax) {
        if (!(await append(closed.slice(start, start + appendFactsMax)))) return false;
      }
      appended += closed.length;
      after = rows.length === pageRowsMax ? (rows.at(-1)?.uetr ?? null) : null;
    } while (after !== null);
    logger.info("day.close-facts-appended", { partition, days: [...closing], appended });
    return true;
  }

  return {
    fill(row) {
      const day = findClosedDay(row, markers);
      if (day !== null) days.add(day);
    },
    onMarkerApplied(marker) {
      const isOver = marker.kind === "DayReconciled" || marker.kind === "DayVoid" || (marker.kind === "WindowClosed" && marker.isLast);
      if (!isOver) return;
      days.add(dayKey(marker.scheme, marker.businessDate));
      task.wake();
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}

/** Finds the day whose applied marker concerns the transaction; null if it waits. */
function findClosedDay(row: OpenRow | UnreadRow, markers: AppliedMarkers): DayKey | null {
  const { reconciliationDay } = row;
  if (row.flow === null && reconciliationDay === null) return findNewestReconciled(markers);
  if (reconciliationDay !== null && isReconciled(markers.markersOf(reconciliationDay))) return reconciliationDay;
  if (row.flow === null) return null;
  const { state, flow, scheme, businessDate, carryOversLeft } = row;
  if (state !== "HELD" || flow === "credit" || businessDate === null) return null;
  const day = dayKey(scheme, businessDate);
  const endedBy = windowsEndedBy(markers.markersOf(day));
  return endedBy === "void" || (endedBy === "closed" && carryOversLeft > 0) ? day : null;
}

/** Finds the day that was reconciled last; null if none is. */
function findNewestReconciled(markers: AppliedMarkers): DayKey | null {
  const closes = markers.days().flatMap((day) => markers.markersOf(day).filter(({ marker }) => marker.kind === "DayReconciled"));
  const newest = closes.toSorted((a, b) => (a.position.offset < b.position.offset ? 1 : -1)).at(0)?.marker;
  return newest === undefined ? null : dayKey(newest.scheme, newest.businessDate);
}
