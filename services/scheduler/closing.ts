// Closing: DayClosed for each open transaction that a marker of its day moves and that no other fact gives a turn. The marker decides; DayClosed
// only wakes.
//   after the reconciliation   each that closes with the day: one that is unresolved, and one whose connector has not acknowledged the outcome
//   after the last window      each held debit of the date that may still go over to the next business date
//   after the date was voided  each held debit of the date
// Credits close with no day: they have deadlines of their own (`deadlines.ts`).
//
// 1. One reading after the marker is enough: everything before it is written by then, and whatever is decided after it takes the marker
//    in its own turn.
// 2. A day is done when every DayClosed is appended; after any failure its reading starts anew (what closed meanwhile is no longer in it), and so
//    it does for a marker of the day that comes while it is read: the reconciliation may follow on the last window at once.
// 3. At take-over the days of which a marker was passed and that still have such transactions are closed again; a second DayClosed changes nothing.

import { dayKey } from "@sluice/domain";
import type { DayKey, Marker } from "@sluice/domain";
import type { Time } from "@sluice/runtime";
import type { OpenRow, TransactionStore } from "@sluice/store";
import type { Log } from "@sluice/telemetry";
import type { AppendFacts } from "./appending.ts";
import type { LaneMarkers } from "./lane-markers.ts";
import { isReconciled, overBy } from "./passed-day.ts";
import { failedTurnPauseMs, startStandingTask } from "./standing-task.ts";

export interface ClosingOptions {
  readonly lane: number;
  readonly markers: LaneMarkers;
  readonly store: Pick<TransactionStore, "open">;
  readonly append: AppendFacts;
  readonly time: Time;
  readonly log: Log;
}

export interface Closing {
  /** At take-over, each open transaction of the lane. */
  fill(row: OpenRow): void;
  /** The lane has passed a marker. */
  passed(marker: Marker): void;
  wake(): void;
  stop(): void;
}

const pageRowsMax = 5_000;
const appendFactsMax = 1_000;

export function startClosing(options: ClosingOptions): Closing {
  const { lane, markers, store, append, time, log } = options;
  /** Bounded by the days that the lane's markers hold. */
  const days = new Set<DayKey>();
  const task = startStandingTask({ name: "closing", lane, time, log, turn });

  async function turn(): Promise<number | null> {
    const closing = new Set(days);
    if (closing.size === 0) return null;
    // #2: a day that a marker names from here on is read once more.
    days.clear();
    let isDone = false;
    try {
      isDone = await wakeAll(closing);
    } finally {
      if (!isDone) for (const day of closing) days.add(day);
    }
    return isDone ? null : failedTurnPauseMs;
  }

  async function wakeAll(closing: ReadonlySet<DayKey>): Promise<boolean> {
    let after: string | null = null;
    let woken = 0;
    do {
      const rows: readonly OpenRow[] = await store.open(lane, after, pageRowsMax);
      const closed = rows.flatMap((row) => {
        const day = wokenBy(row, markers);
        return day !== null && closing.has(day) ? [{ key: row.uetr, fact: { kind: "DayClosed", day } as const }] : [];
      });
      for (let start = 0; start < closed.length; start += appendFactsMax) {
        if (!(await append(closed.slice(start, start + appendFactsMax)))) return false;
      }
      woken += closed.length;
      after = rows.length === pageRowsMax ? (rows.at(-1)?.uetr ?? null) : null;
    } while (after !== null);
    log.info("day.closing", { lane, days: [...closing], woken });
    return true;
  }

  return {
    fill(row) {
      const day = wokenBy(row, markers);
      if (day !== null) days.add(day);
    },
    passed(marker) {
      const isOver = marker.kind === "DayReconciled" || marker.kind === "DayVoid" || (marker.kind === "WindowClosed" && marker.isLast);
      if (!isOver) return;
      days.add(dayKey(marker.scheme, marker.businessDate));
      task.wake();
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}

/** The day whose marker, passed already, moves it; null: it waits. */
function wokenBy({ state, flow, scheme, businessDate, closesWith, rollsLeft }: OpenRow, markers: LaneMarkers): DayKey | null {
  if (isReconciled(markers.passed(closesWith))) return closesWith;
  if (state !== "HELD" || flow === "credit" || businessDate === null) return null;
  const day = dayKey(scheme, businessDate);
  const over = overBy(markers.passed(day));
  return over === "void" || (over === "closed" && rollsLeft > 0) ? day : null;
}
