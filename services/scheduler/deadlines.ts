// Deadlines: when agreed time has passed the deadline of a lane's open credit, DeadlinePassed is appended. The credit judges it by its append
// time; too early has no effect, and a second one changes nothing.
//
// 1. An unresolved credit is due at its deadline. One that has ended, and whose outcome the connector has not acknowledged, is due
//    `outcomeGraceMs` after it: what ended it in the last moment is still being told. RECONCILIATION has its item already.
// 2. Kept is a page of the nearest ones (`queue-page.ts`), filled at take-over and refilled from the store when it was cut and runs low.
// 3. Nothing is appended before all that lay in the log when the lane was taken is handled: it may hold what ends the credit.
// 4. Asked once; and again, after a pause, where the answer was that it came too early.

import { isUnresolved } from "@sluice/domain";
import type { Transaction } from "@sluice/domain";
import type { Time } from "@sluice/runtime";
import type { OpenRow, TransactionStore } from "@sluice/store";
import type { Log } from "@sluice/telemetry";
import type { AppendFacts } from "./appending.ts";
import { createDeadlinePage } from "./deadline-page.ts";
import type { Deadline } from "./deadline-page.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";
import { failedTurnPauseMs, startStandingTask } from "./standing-task.ts";

export interface DeadlinesOptions {
  readonly lane: number;
  readonly store: Pick<TransactionStore, "open">;
  readonly append: AppendFacts;
  agreedNowMs(): number | null;
  /** All that lay in the log when the lane was assigned has been handled. */
  readonly isCaughtUp: () => boolean;
  readonly time: Time;
  readonly log: Log;
  readonly metrics: SchedulerMetrics;
  /** Keys of a page, 10,000 where none are given. */
  readonly pageKeysMax?: number;
}

export interface Deadlines {
  /** At take-over, each open transaction of the lane. */
  fill(row: OpenRow): void;
  /** A transaction as a record left it; `passedAtMs`: append time of the record if that was a DeadlinePassed. */
  saw(transaction: Transaction, passedAtMs: number | null): void;
  /** Perhaps all that lay in the log has now been handled. */
  caughtUp(): void;
  wake(): void;
  stop(): void;
}

export const outcomeGraceMs = 60_000;
const earlyPauseMs = 1_000;
/** Until agreed time is known. */
const askAgainMs = 1_000;
/** A timer is set at most this far ahead: clocks drift. */
const sleepMaxMs = 60_000;
const turnFactsMax = 1_000;

export function startDeadlines(options: DeadlinesOptions): Deadlines {
  const { lane, append, time, log, metrics } = options;
  const page = createDeadlinePage({ lane, store: options.store, deadlineOf: deadlineOfRow, keysMax: options.pageKeysMax });
  const task = startStandingTask({ name: "deadlines", lane, time, log, turn });
  /** When the task wakes by itself, by agreed time. */
  let armedMs = Number.POSITIVE_INFINITY;
  let wasCaughtUp = false;

  async function turn(): Promise<number | null> {
    armedMs = Number.POSITIVE_INFINITY;
    if (!options.isCaughtUp()) return null;
    wasCaughtUp = true;
    await page.refill();
    metrics.deadlines.set(page.count(), { lane: String(lane) });
    const nowMs = options.agreedNowMs();
    if (nowMs === null) return askAgainMs;
    const due = page.due(nowMs, time.monotonicMs(), turnFactsMax);
    if (due.length === 0) return sleepMs(nowMs);
    const uetrs = due.map(({ uetr }) => uetr);
    page.pause(uetrs, Number.POSITIVE_INFINITY);
    const isAppended = await append(due.map(({ uetr, deadlineMs }) => ({ key: uetr, fact: { kind: "DeadlinePassed", deadlineMs } })));
    if (!isAppended) {
      page.pause(uetrs, time.monotonicMs());
      return failedTurnPauseMs;
    }
    log.info("deadlines.passed", { lane, credits: due.length });
    return due.length >= turnFactsMax ? 0 : sleepMs(nowMs);
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
      const deadline = deadlineOfRow(row);
      if (deadline !== null) page.insert(deadline);
    },
    saw(transaction, passedAtMs) {
      if (transaction.flow !== "credit") return;
      const deadline = deadlineOfCredit(transaction, passedAtMs);
      if (deadline === null) {
        page.remove(transaction.uetr);
        if (page.isLow()) task.wake();
        return;
      }
      page.insert(deadline);
      if (passedAtMs !== null) page.pause([transaction.uetr], time.monotonicMs() + earlyPauseMs);
      if (deadline.dueMs < armedMs) task.wake();
    },
    caughtUp() {
      if (!wasCaughtUp && options.isCaughtUp()) task.wake();
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}

function deadlineOfRow({ uetr, state, flow, deadlineMs, isOutcomeAwaited }: OpenRow): Deadline | null {
  return flow === "credit" ? deadlineOf({ uetr, state, deadlineMs, isAwaited: isOutcomeAwaited }) : null;
}

/** Nothing more is expected of a DeadlinePassed that came when it was due, and of one where people see the outcome undelivered already. */
function deadlineOfCredit({ uetr, state, deadlineMs, outcome, items }: Transaction, passedAtMs: number | null): Deadline | null {
  const isTold = outcome !== null && outcome.acknowledgedAtMs === null;
  const isShown = items.some(({ cause }) => cause === "OUTCOME_UNDELIVERED");
  const deadline = deadlineOf({ uetr, state, deadlineMs, isAwaited: isTold && !isShown });
  const isAsked = deadline !== null && !isUnresolved(state) && passedAtMs !== null && passedAtMs >= deadline.dueMs;
  return isAsked ? null : deadline;
}

interface Credit {
  readonly uetr: string;
  readonly state: Transaction["state"];
  readonly deadlineMs: number | null;
  readonly isAwaited: boolean;
}

function deadlineOf({ uetr, state, deadlineMs, isAwaited }: Credit): Deadline | null {
  if (deadlineMs === null || state === "CREDIT_AUTH_RECONCILIATION") return null;
  if (isUnresolved(state)) return { uetr, deadlineMs, dueMs: deadlineMs };
  return isAwaited ? { uetr, deadlineMs, dueMs: deadlineMs + outcomeGraceMs } : null;
}
