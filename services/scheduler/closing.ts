// Closing: after a day's reconciliation marker each open transaction that closes with that day is woken by a DayClosed: one that is unresolved,
// and one whose connector has not acknowledged the outcome. The marker decides; DayClosed only gives a turn to those that no other fact does.
// Credits close with no day: they have deadlines of their own (`deadlines.ts`).
//
// 1. One reading after the marker is enough: everything before it is written by then, and whatever is decided after it takes the marker
//    in its own turn.
// 2. A day is done when every DayClosed is appended; after any failure its reading starts anew (what closed meanwhile is no longer in it).
// 3. At take-over the days that are reconciled and still have open transactions are closed again; a second DayClosed changes nothing.

import type { DayKey } from "@sluice/domain";
import type { Time } from "@sluice/runtime";
import type { OpenRow, TransactionStore } from "@sluice/store";
import type { Log } from "@sluice/telemetry";
import type { AppendFacts } from "./appending.ts";
import type { LaneMarkers } from "./lane-markers.ts";
import { isReconciled } from "./passed-day.ts";
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
  /** The lane has passed the day's reconciliation marker. */
  close(day: DayKey): void;
  wake(): void;
  stop(): void;
}

const pageRowsMax = 10_000;
const appendFactsMax = 1_000;

export function startClosing(options: ClosingOptions): Closing {
  const { lane, markers, store, append, time, log } = options;
  /** Bounded by the days that the lane's markers hold. */
  const days = new Set<DayKey>();
  const task = startStandingTask({ name: "closing", lane, time, log, turn });

  async function turn(): Promise<number | null> {
    const closing = new Set(days);
    if (closing.size === 0) return null;
    const isDone = await wakeAll(closing);
    if (!isDone) return failedTurnPauseMs;
    for (const day of closing) days.delete(day);
    return null;
  }

  async function wakeAll(closing: ReadonlySet<DayKey>): Promise<boolean> {
    let after: string | null = null;
    let woken = 0;
    do {
      const rows: readonly OpenRow[] = await store.open(lane, after, pageRowsMax);
      const closed = rows.filter((row) => closing.has(row.closesWith));
      for (let start = 0; start < closed.length; start += appendFactsMax) {
        const chunk = closed.slice(start, start + appendFactsMax);
        const isAppended = await append(chunk.map((row) => ({ key: row.uetr, fact: { kind: "DayClosed", day: row.closesWith } })));
        if (!isAppended) return false;
      }
      woken += closed.length;
      after = rows.length === pageRowsMax ? (rows.at(-1)?.uetr ?? null) : null;
    } while (after !== null);
    log.info("day.closing", { lane, days: [...closing], woken });
    return true;
  }

  return {
    fill(row) {
      if (isReconciled(markers.passed(row.closesWith))) days.add(row.closesWith);
    },
    close(day) {
      days.add(day);
      task.wake();
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}
