// The ledger audit (I11): some time after a day is reconciled in this partition, and after a take-over for its newest
// days while they are small, it checks the partition's ledger of the day against itself and against a count of the
// documents. It only reads; an imbalance is an error line and an alarm.

import type { DayKey } from "@sluice/domain";
import type { Logger, Time } from "@sluice/kernel";
import { checkPartitionConservation, type TransactionStore } from "@sluice/store";
import type { DayLedgers } from "../partition/day-ledgers.ts";
import type { SchedulerMetrics } from "../scheduler-metrics.ts";
import { type BackgroundTask, startBackgroundTask } from "./background-task.ts";

export interface LedgerAuditOptions {
  readonly partition: number;
  readonly ledgers: Pick<DayLedgers, "read">;
  readonly store: Pick<TransactionStore, "accounted">;
  /** Lets one count at a time run in a process. */
  readonly serialize: <T>(count: () => Promise<T>) => Promise<T>;
  readonly metrics: Pick<SchedulerMetrics, "conservationBroken" | "conservationTransactions">;
  readonly time: Time;
  readonly logger: Logger;
}

export interface LedgerAudit extends BackgroundTask {
  /** Adds the days that have begun, at a take-over; days planned ahead have moved nothing yet. */
  fill(days: readonly DayKey[]): void;
  /** Called when the partition has applied the day's reconciliation marker. */
  auditReconciled(day: DayKey): void;
}

/**
 * Milliseconds after a close: gives time to the facts that it caused. The day balances before that too, but a later
 * count shows more. Also after a take-over, when debits have waited for the partition: a count reads a whole day, and
 * the first of them would wait for that too.
 */
export const auditDelayMs = 30_000;
/** Newest days of a scheme that are checked at a take-over. */
const daysAtTakeOver = 3;
/** A day with more transactions is not checked at a take-over. */
const takeOverTransactionsMax = 10_000;

export function startLedgerAudit(options: LedgerAuditOptions): LedgerAudit {
  const { partition, ledgers, store, metrics, time, logger } = options;
  /** When each day is due (monotonic); bounded by the days that the partition's markers hold. */
  const due = new Map<DayKey, { readonly atMs: number; readonly isCheapOnly: boolean }>();
  const broken = new Set<DayKey>();
  const task = startBackgroundTask({ name: "ledger-audit", partition, time, logger, run });

  async function run(): Promise<number | null> {
    for (const [day, asked] of due) {
      if (asked.atMs > time.monotonicMs()) continue;
      // Removed first: the day may be closed, and so be added again, while it is counted.
      due.delete(day);
      try {
        await options.serialize(() => check(day, asked.isCheapOnly));
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
    const { offset, rows } = await ledgers.read(day);
    const transactions = rows.reduce(
      (count, { columns }) => count + (columns.accepted?.count ?? 0) + (columns.creditAccepted?.count ?? 0),
      0,
    );
    if (isCheapOnly && transactions > takeOverTransactionsMax) return;
    const { isWhole, findings } = await checkPartitionConservation(store, { partition, day, offset, rows });
    if (isWhole) broken.delete(day);
    else broken.add(day);
    metrics.conservationBroken.set(broken.size > 0 ? 1 : 0, { partition: String(partition) });
    setColumns(rows);
    const fields = { partition, day, offset, transactions, tookMs: time.monotonicMs() - startedMs };
    if (isWhole) logger.info("conservation.checked", fields);
    else logger.error("conservation.broken", { ...fields, findings });
  }

  function setColumns(rows: Awaited<ReturnType<DayLedgers["read"]>>["rows"]): void {
    const counts = new Map<string, number>();
    for (const { columns } of rows) {
      for (const [column, { count }] of Object.entries(columns)) counts.set(column, (counts.get(column) ?? 0) + count);
    }
    for (const [column, count] of counts) metrics.conservationTransactions.set(count, { partition: String(partition), column });
  }

  return {
    fill(days) {
      for (const day of newestDays(days)) due.set(day, { atMs: time.monotonicMs() + auditDelayMs, isCheapOnly: true });
    },
    auditReconciled(day) {
      due.set(day, { atMs: time.monotonicMs() + auditDelayMs, isCheapOnly: false });
      task.wake();
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}

/** Picks the newest dates of each scheme. */
function newestDays(days: readonly DayKey[]): readonly DayKey[] {
  const bySchemes = Map.groupBy(days, (day) => day.slice(0, day.lastIndexOf(":")));
  return [...bySchemes.values()].flatMap((ofScheme) => ofScheme.toSorted().slice(-daysAtTakeOver));
}
