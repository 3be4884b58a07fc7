// When the broker clock has passed the deadline of a partition's open credit, this task appends DeadlinePassed. The
// domain decides by its append time; one that is too early has no effect, and a second one changes nothing.
//
// #1 An unresolved credit is due at its deadline. A credit that has ended, and whose outcome report the connector has
//    not acknowledged, is due `outcomeGraceMs` after it: a report about an end in the last moment is still being
//    delivered. RECONCILIATION has its item already.
// #2 A page of the nearest deadlines is kept (`queue-page.ts`), filled at take-over and refilled from the store when it
//    was cut and runs low.
// #3 Nothing is appended before every record that the partition had when it was taken is handled: one may end the
//    credit.
// #4 DeadlinePassed is appended once; and again, after a pause, if it came too early.

import { isOutcomeShown, isUnresolved, type Transaction } from "@sluice/domain";
import type { Logger, Time } from "@sluice/kernel";
import type { OpenRow, TransactionStore } from "@sluice/store";
import type { AppendFacts } from "./append-facts.ts";
import { createDeadlinePage, type CreditDeadline } from "./queues/deadline-page.ts";
import type { SchedulerMetrics } from "../scheduler-metrics.ts";
import { failedRunPauseMs, startBackgroundTask } from "./background-task.ts";

export interface DeadlineTaskOptions {
  readonly partition: number;
  readonly store: Pick<TransactionStore, "open">;
  readonly append: AppendFacts;
  brokerNowMs(): number | null;
  /** Whether every record that the partition had when it was assigned has been handled. */
  readonly isCaughtUp: () => boolean;
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: SchedulerMetrics;
  /** Keys kept in a page; 10,000 by default. */
  readonly pageKeysMax?: number;
  /** Open transactions that are read at once. */
  readonly pageRowsMax: number;
}

export interface DeadlineTask {
  /** Adds an open transaction; called for each one at take-over. */
  fill(row: OpenRow): void;
  /**
   * Takes note of a transaction after a record; `passedAtMs` is the append time of the record if it was a
   * DeadlinePassed.
   */
  observe(transaction: Transaction, passedAtMs: number | null): void;
  /** Called after a batch: the partition may have caught up. */
  onProgress(): void;
  wake(): void;
  stop(): void;
}

/** Milliseconds after a deadline at which a missing acknowledgement of the outcome report is due. */
export const outcomeGraceMs = 60_000;
const earlyPauseMs = 1_000;
/** Milliseconds between two looks while the broker clock is not known. */
const askAgainMs = 1_000;
/** A timer is set at most this many milliseconds ahead: clocks drift. */
const sleepMaxMs = 60_000;
const runFactsMax = 1_000;

export function startDeadlineTask(options: DeadlineTaskOptions): DeadlineTask {
  const { partition, append, time, logger, metrics } = options;
  const { store, pageKeysMax: keysMax, pageRowsMax: rowsMax } = options;
  const page = createDeadlinePage({ partition, store, readDeadline: readRowDeadline, keysMax, rowsMax });
  const task = startBackgroundTask({ name: "deadlines", partition, time, logger, run });
  /** When the task wakes by itself, by the broker clock. */
  let armedMs = Number.POSITIVE_INFINITY;
  let wasCaughtUp = false;

  async function run(): Promise<number | null> {
    armedMs = Number.POSITIVE_INFINITY;
    if (!options.isCaughtUp()) return null;
    wasCaughtUp = true;
    await page.refill();
    metrics.deadlines.set(page.count(), { partition: String(partition) });
    const nowMs = options.brokerNowMs();
    if (nowMs === null) return askAgainMs;
    const due = page.listDue(nowMs, time.monotonicMs(), runFactsMax);
    if (due.length === 0) return sleepMs(nowMs);
    const uetrs = due.map(({ uetr }) => uetr);
    page.pause(uetrs, Number.POSITIVE_INFINITY);
    const isAppended = await append(due.map(({ uetr, deadlineMs }) => ({ key: uetr, fact: { kind: "DeadlinePassed", deadlineMs } })));
    if (!isAppended) {
      page.pause(uetrs, time.monotonicMs());
      return failedRunPauseMs;
    }
    logger.info("deadlines.appended", { partition, credits: due.length });
    return due.length >= runFactsMax ? 0 : sleepMs(nowMs);
  }

  function sleepMs(nowMs: number): number | null {
    const nextMs = page.nextMs();
    if (nextMs === null) return null;
    const waitMs = Math.min(nextMs <= nowMs ? earlyPauseMs : nextMs - nowMs, sleepMaxMs);
    armedMs = nowMs + waitMs;
    return waitMs;
  }

  return {
    fill(row) {
      const deadline = readRowDeadline(row);
      if (deadline !== null) page.insert(deadline);
    },
    observe(transaction, passedAtMs) {
      if (transaction.flow !== "credit") return;
      const deadline = readCreditDeadline(transaction, passedAtMs);
      if (deadline === null) {
        page.remove(transaction.uetr);
        if (page.isLow()) task.wake();
        return;
      }
      page.insert(deadline);
      if (passedAtMs !== null) page.pause([transaction.uetr], time.monotonicMs() + earlyPauseMs);
      if (deadline.dueMs < armedMs) task.wake();
    },
    onProgress() {
      if (!wasCaughtUp && options.isCaughtUp()) task.wake();
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}

function readRowDeadline({ uetr, state, flow, deadlineMs, isOutcomeAwaited }: OpenRow): CreditDeadline | null {
  return flow === "credit" ? findDeadline({ uetr, state, deadlineMs, isAwaited: isOutcomeAwaited }) : null;
}

/**
 * Finds the deadline; null after a DeadlinePassed that came when it was due, and where an item shows the outcome as
 * undelivered.
 */
function readCreditDeadline(
  { uetr, state, deadlineMs, outcomeReport, items }: Transaction,
  passedAtMs: number | null,
): CreditDeadline | null {
  const isUnacknowledged = outcomeReport !== null && outcomeReport.acknowledgedAtMs === null;
  const deadline = findDeadline({ uetr, state, deadlineMs, isAwaited: isUnacknowledged && !isOutcomeShown({ items }) });
  const isDone = deadline !== null && !isUnresolved(state) && passedAtMs !== null && passedAtMs >= deadline.dueMs;
  return isDone ? null : deadline;
}

interface Credit {
  readonly uetr: string;
  readonly state: Transaction["state"];
  readonly deadlineMs: number | null;
  readonly isAwaited: boolean;
}

function findDeadline({ uetr, state, deadlineMs, isAwaited }: Credit): CreditDeadline | null {
  if (deadlineMs === null || state === "CREDIT_AUTH_RECONCILIATION") return null;
  if (isUnresolved(state)) return { uetr, deadlineMs, dueMs: deadlineMs };
  return isAwaited ? { uetr, deadlineMs, dueMs: deadlineMs + outcomeGraceMs } : null;
}
