// Conserving (I11): after a day is reconciled in this lane, and at take-over for its newest days while they are small, the lane's ledger of the
// day is checked against itself and against a count of the documents. It only reads; what is not whole is an error line and an alarm.

import type { DayKey } from "@sluice/domain";
import type { Time } from "@sluice/runtime";
import { conservationOfLane } from "@sluice/store";
import type { TransactionStore } from "@sluice/store";
import type { Log } from "@sluice/telemetry";
import type { LaneLedgers } from "./lane-ledgers.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";
import { startStandingTask } from "./standing-task.ts";
import type { StandingTask } from "./standing-task.ts";

export interface ConservingOptions {
  readonly lane: number;
  readonly ledgers: Pick<LaneLedgers, "counted">;
  readonly store: Pick<TransactionStore, "accounted">;
  /** One count at a time in a process. */
  readonly inTurn: <T>(count: () => Promise<T>) => Promise<T>;
  readonly metrics: Pick<SchedulerMetrics, "conservationBroken" | "conservationTransactions">;
  readonly time: Time;
  readonly log: Log;
}

export interface Conserving extends StandingTask {
  /** At take-over, days that have begun: those planned ahead have moved nothing yet. */
  fill(days: readonly DayKey[]): void;
  /** The lane has passed the day's reconciliation marker. */
  close(day: DayKey): void;
}

/** Time for what the close woke: it is conserved before that too, but a count after it says more. */
export const afterCloseMs = 30_000;
/** Days of a scheme that are looked at when a lane is taken over, unless more transactions came on them. */
const daysAtTakeOver = 3;
export const cheapTransactionsMax = 10_000;

export function startConserving(options: ConservingOptions): Conserving {
  const { lane, ledgers, store, metrics, time, log } = options;
  /** When each is due, monotonic; bounded by the days that the lane's markers hold. */
  const due = new Map<DayKey, { readonly atMs: number; readonly isCheapOnly: boolean }>();
  const broken = new Set<DayKey>();
  const task = startStandingTask({ name: "conserving", lane, time, log, turn });

  async function turn(): Promise<number | null> {
    for (const [day, asked] of due) {
      if (asked.atMs > time.monotonicMs()) continue;
      // Taken out first: the day may be closed, and so be asked for again, while it is counted.
      due.delete(day);
      try {
        await options.inTurn(() => check(day, asked.isCheapOnly));
      } catch (error) {
        if (!due.has(day)) due.set(day, asked);
        throw error;
      }
    }
    const next = [...due.values()].map(({ atMs }) => Math.max(1, atMs - time.monotonicMs()));
    return next.length === 0 ? null : next.reduce((a, b) => Math.min(a, b));
  }

  async function check(day: DayKey, isCheapOnly: boolean): Promise<void> {
    const startedMs = time.monotonicMs();
    const { offset, rows } = await ledgers.counted(day);
    const transactions = rows.reduce(
      (count, { columns }) => count + (columns.accepted?.count ?? 0) + (columns.creditAccepted?.count ?? 0),
      0,
    );
    if (isCheapOnly && transactions > cheapTransactionsMax) return;
    const { isWhole, findings } = await conservationOfLane(store, { lane, day, offset, rows });
    if (isWhole) broken.delete(day);
    else broken.add(day);
    metrics.conservationBroken.set(broken.size > 0 ? 1 : 0, { lane: String(lane) });
    tellColumns(rows);
    const seen = { lane, day, offset, transactions, tookMs: time.monotonicMs() - startedMs };
    if (isWhole) log.info("conservation.checked", seen);
    else log.error("conservation.broken", { ...seen, findings });
  }

  function tellColumns(rows: Awaited<ReturnType<LaneLedgers["counted"]>>["rows"]): void {
    const counts = new Map<string, number>();
    for (const { columns } of rows) {
      for (const [column, { count }] of Object.entries(columns)) counts.set(column, (counts.get(column) ?? 0) + count);
    }
    for (const [column, count] of counts) metrics.conservationTransactions.set(count, { lane: String(lane), column });
  }

  return {
    fill(days) {
      for (const day of newestOf(days)) due.set(day, { atMs: time.monotonicMs(), isCheapOnly: true });
    },
    close(day) {
      due.set(day, { atMs: time.monotonicMs() + afterCloseMs, isCheapOnly: false });
      task.wake();
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}

/** One at a time, in the order asked; one that fails keeps nobody else. */
export function createTurnTaking(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** The newest dates of each scheme. */
function newestOf(days: readonly DayKey[]): readonly DayKey[] {
  const bySchemes = Map.groupBy(days, (day) => day.slice(0, day.lastIndexOf(":")));
  return [...bySchemes.values()].flatMap((ofScheme) => ofScheme.toSorted().slice(-daysAtTakeOver));
}
