// The end of a delivery, and what an attempt leads to.
//
// #1 What is appended at an end (the fact for the journal, the receipt) is acknowledged by the log before the message counts
//    as done: before its offset is passed, or its parked copy removed or marked. A crash in between means a repeat with the
//    same id and bytes.
// #2 Acknowledged, stopped, expired: nothing is kept (unless the service keeps what expired). Refused: it stays parked,
//    marked, until a change comes; it holds nothing up.
// #3 No clock ends a delivery that a transition waits for (`closesWith`, `stopsAtMs`); an own deadline does.
// #4 A refusal is written down before it is said, and then marked as said. So once it is said no owner tries the message again, and one
//    that was not said for sure is said by the next owner: the transaction may take it that nothing of the message is under way.

import type { Appended, OutgoingRecord } from "@sluice/messaging";
import type { AttemptResult } from "./attempt.ts";
import type { EngineContext } from "./context.ts";
import type { Delivery, DeliveryOutcome, DeliverySubject, Progress } from "./delivery.ts";
import { queueOf, type DeliveryLane } from "./lane.ts";
import type { Doer } from "./ownership.ts";
import { park, parkedOf, type ParkedState } from "./spill.ts";

export interface EndReason {
  readonly outcome: DeliveryOutcome;
  readonly httpStatusCode: number | null;
  readonly progress: Progress;
  readonly stopOffset?: bigint;
  readonly isKnown?: boolean;
  /** As it is now, where it is not said. */
  readonly isBankPaused?: boolean;
}

/** #1 */
export function end(context: EngineContext, lane: DeliveryLane, subject: DeliverySubject, reason: EndReason): Promise<void> {
  return new Promise((succeeded, failed) => beginEnd(context, lane, subject, reason, { succeeded, failed }));
}

/** `end` without a promise of its own. */
export function beginEnd(context: EngineContext, lane: DeliveryLane, subject: DeliverySubject, reason: EndReason, doer: Doer<void>): void {
  const records = recordsOf(context, lane, subject, reason);
  const over = (appended: readonly Appended[]): void => {
    ended(context, lane, subject, reason, appended);
    doer.succeeded();
  };
  if (records.length === 0) return over([]);
  const what = appendOf[reason.outcome];
  lane.ownership.beginUntilDone(what, () => context.producer.send(records), { succeeded: over, failed: (error) => doer.failed(error) });
}

const appendOf: Readonly<Record<DeliveryOutcome, string>> = {
  acknowledged: "append.acknowledged",
  refused: "append.refused",
  stopped: "append.stopped",
  expired: "append.expired",
};

function recordsOf(context: EngineContext, lane: DeliveryLane, subject: DeliverySubject, reason: EndReason): readonly OutgoingRecord[] {
  const { outcome, httpStatusCode, progress, stopOffset = null, isKnown = true } = reason;
  const { isBankPaused = lane.pauses.isPaused(subject.bank) } = reason;
  const { isBreakerOpen } = context.destinations.of(subject.bank, subject.operation);
  return context.rules.recordsOf({
    subject,
    outcome,
    httpStatusCode,
    progress,
    endedAtMs: context.time.nowMs(),
    stopOffset,
    isKnown,
    isBankPaused,
    isBreakerOpen,
  });
}

function ended(
  context: EngineContext,
  lane: DeliveryLane,
  subject: DeliverySubject,
  { outcome, httpStatusCode, progress }: EndReason,
  appended: readonly Appended[],
): void {
  // Appended together: the last one's time says as much as all.
  const last = appended.at(-1);
  if (last !== undefined) context.agreed.observe(last.appendedAtMs);
  lane.recent.ended(subject.id, progress);
  context.metrics.ended.add({ bank: subject.bank, outcome });
  // What goes as it should is counted, and has its receipt; a line is for what took more than one attempt, or ended otherwise.
  if (outcome === "acknowledged" && progress.attempts === 1) return;
  context.log.info("delivery.ended", {
    id: subject.id,
    uetr: subject.uetr,
    bank: subject.bank,
    operation: subject.operation,
    outcome,
    httpStatusCode,
    attempts: progress.attempts,
    partition: lane.partition,
  });
}

/** What an attempt leads to. `isParked`: the store has the message. */
export function settle(
  context: EngineContext,
  lane: DeliveryLane,
  delivery: Delivery,
  result: AttemptResult,
  isParked: boolean,
): Promise<void> {
  if (result.class !== "acknowledged") return failed(context, lane, delivery, result, isParked);
  const ended = end(context, lane, delivery, acknowledgedBy(result));
  return isParked ? ended.then(() => unpark(context, lane, delivery)) : ended;
}

export function acknowledgedBy({ httpStatusCode, progress }: AttemptResult): EndReason {
  return { outcome: "acknowledged", httpStatusCode, progress };
}

async function failed(
  context: EngineContext,
  lane: DeliveryLane,
  delivery: Delivery,
  result: AttemptResult,
  isParked: boolean,
): Promise<void> {
  const { httpStatusCode, progress } = result;
  if (result.class === "refused") {
    await keepEnded(context, lane, delivery, { progress, ended: "refusing" }, isParked);
    await sayRefused(context, lane, delivery, progress);
    return;
  }
  // Nothing mends by itself what is about the address: somebody has to look.
  context.log[result.class === "address" ? "warn" : "info"]("delivery.failed", {
    id: delivery.id,
    uetr: delivery.uetr,
    bank: delivery.bank,
    operation: delivery.operation,
    class: result.class,
    httpStatusCode,
    reason: progress.recentAttempts.at(-1)?.answer,
    attempts: progress.attempts,
    waitMs: result.waitMs,
    partition: lane.partition,
  });
  const next = { progress, nextAttemptAtMs: result.nextAttemptAtMs, ended: null };
  if (!isParked) return park(context, lane, delivery, next, "failed");
  await context.parkedCalls.update(lane.ownership, parkedOf(lane, delivery, next));
  queueOf(context, lane, delivery.bank).page.reschedule(delivery.id, context.time.monotonicMs() + result.waitMs);
}

/** #4. The last attempt is the one that was refused. */
export async function sayRefused(context: EngineContext, lane: DeliveryLane, delivery: Delivery, progress: Progress): Promise<void> {
  const httpStatusCode = progress.recentAttempts.at(-1)?.httpStatusCode ?? null;
  await end(context, lane, delivery, { outcome: "refused", httpStatusCode, progress });
  await keepEnded(context, lane, delivery, { progress, ended: "refused" }, true);
}

/** #3: an own deadline has passed. */
export async function expire(
  context: EngineContext,
  lane: DeliveryLane,
  delivery: Delivery,
  progress: Progress,
  isParked: boolean,
): Promise<void> {
  await end(context, lane, delivery, { outcome: "expired", httpStatusCode: null, progress });
  if (context.rules.isExpiredKept) await keepEnded(context, lane, delivery, { progress, ended: "refused" }, isParked);
  else if (isParked) await unpark(context, lane, delivery);
}

export async function unpark(context: EngineContext, lane: DeliveryLane, subject: Pick<DeliverySubject, "id" | "bank">): Promise<void> {
  await context.parkedCalls.remove(lane.ownership, subject);
  queueOf(context, lane, subject.bank).page.remove(subject.id);
}

/** #2 */
export async function keepEnded(
  context: EngineContext,
  lane: DeliveryLane,
  delivery: Delivery,
  state: Omit<ParkedState, "nextAttemptAtMs">,
  isParked: boolean,
): Promise<void> {
  const kept = { ...state, nextAttemptAtMs: context.agreed.nowMs() };
  if (kept.ended !== "refusing") lane.givenUp.add(delivery.id);
  if (!isParked) return park(context, lane, delivery, kept, "ended");
  await context.parkedCalls.update(lane.ownership, parkedOf(lane, delivery, kept));
  if (kept.ended !== "refusing") queueOf(context, lane, delivery.bank).page.remove(delivery.id);
}
