// Ends a delivery, and decides what an attempt leads to.
//
// #1 The broker acknowledges the records of an end (the fact for the journal, the receipt) before the message counts as
//    done: before its offset is passed, or its parked copy is removed or marked. A crash in between leads to a repeat
//    with the same id and bytes. What of them is acknowledged is not sent again while the rest is tried again.
// #2 An acknowledged, stopped or expired message is not kept (unless the service keeps expired ones). A refused message
//    stays parked and marked until a change comes; it delays no other.
// #3 No clock ends a delivery that a transition waits for (`reconciliationDay`, `stopsAtMs`); an own deadline does.
// #4 A refusal is stored before it is reported, and then marked as reported. So no owner retries a message whose
//    refusal was reported, and the next owner reports a refusal whose report is uncertain. A transaction may rely on it
//    that after the report no attempt of the message is under way.
// #5 The receipt of a new message that was acknowledged at its first attempt waits for the next position, many in one
//    batch (ADR 97): its record is read again, and has its receipt again, until the receipt is acknowledged. Where
//    `receiptsWaitingMax` wait already, it goes with the fact as every other receipt does.

import { topics } from "@sluice/contracts";
import { type AppendResult, type OutgoingRecord, RepeatedSend } from "@sluice/messaging";
import type { AttemptResult } from "./attempt.ts";
import type { EngineContext } from "../context.ts";
import type { Delivery, EndOutcome, DeliverySubject, AttemptProgress } from "../rules.ts";
import { getQueue, type DeliveryPartition } from "../partition/delivery-partition.ts";
import type { Completion } from "../partition/delivery-lease.ts";
import { park, toParkedMessage, type ParkedState } from "../backlog/spill.ts";

export interface EndReason {
  readonly outcome: EndOutcome;
  readonly httpStatusCode: number | null;
  readonly progress: AttemptProgress;
  readonly stopOffset?: bigint;
  readonly isKnown?: boolean;
  /** Tells whether the receiver is paused; the present state where it is not given. */
  readonly isReceiverPaused?: boolean;
  /** #5: the position has not passed its record, and passes it only after this end. */
  readonly isReadAgain?: boolean;
}

/** #1 */
export function endDelivery(
  context: EngineContext,
  partition: DeliveryPartition,
  subject: DeliverySubject,
  reason: EndReason,
): Promise<void> {
  return new Promise((resolve, reject) => startEnd(context, partition, subject, reason, { resolve, reject }));
}

/** `endDelivery` with a callback, without a promise of its own. */
export function startEnd(
  context: EngineContext,
  partition: DeliveryPartition,
  subject: DeliverySubject,
  reason: EndReason,
  completion: Completion<void>,
): void {
  const built = buildRecords(context, partition, subject, reason);
  const { receipts } = partition;
  const mayWait = reason.isReadAgain === true && receipts.count < context.bounds.receiptsWaitingMax;
  const records = mayWait ? built.filter((record) => !isReceipt(record)) : built;
  const finish = (appended: readonly AppendResult[]): void => {
    if (mayWait) for (const record of built) if (isReceipt(record)) receipts.add(record);
    recordEnded(context, partition, subject, reason, appended);
    completion.resolve();
  };
  if (records.length === 0) return finish([]);
  const what = appendSteps[reason.outcome];
  const sent = new RepeatedSend(context.producer, records);
  partition.lease.startRetryUntilDone(what, (failedWith) => sent.send(failedWith), {
    resolve: finish,
    reject: (error) => completion.reject(error),
  });
}

function isReceipt({ topic }: OutgoingRecord): boolean {
  return topic === topics.receipts;
}

const appendSteps: Readonly<Record<EndOutcome, string>> = {
  acknowledged: "append.acknowledged",
  refused: "append.refused",
  stopped: "append.stopped",
  expired: "append.expired",
  "given-up": "append.given-up",
};

function buildRecords(
  context: EngineContext,
  partition: DeliveryPartition,
  subject: DeliverySubject,
  reason: EndReason,
): readonly OutgoingRecord[] {
  const { outcome, httpStatusCode, progress, stopOffset = null, isKnown = true } = reason;
  const { isReceiverPaused = partition.pauses.isPaused(subject.receiverId) } = reason;
  const { isBreakerOpen } = context.endpoints.forOperation(subject.receiverId, subject.operation);
  return context.rules.buildEndRecords({
    subject,
    outcome,
    httpStatusCode,
    progress,
    endedAtMs: context.time.nowMs(),
    stopOffset,
    isKnown,
    isReceiverPaused,
    isBreakerOpen,
  });
}

function recordEnded(
  context: EngineContext,
  partition: DeliveryPartition,
  subject: DeliverySubject,
  { outcome, httpStatusCode, progress }: EndReason,
  appended: readonly AppendResult[],
): void {
  // The records are appended together, so the time of the last one serves for all.
  const last = appended.at(-1);
  if (last !== undefined) context.brokerClock.observe(last.appendedAtMs);
  partition.recentEnds.recordEnd(subject.id, progress, outcome === "acknowledged");
  context.metrics.ended.add({ receiver: subject.receiverId, outcome });
  // An ordinary acknowledgement has its metric and its receipt; the logger gets what took more attempts or ended
  // otherwise.
  if (outcome === "acknowledged" && progress.attempts === 1) return;
  context.logger.info("delivery.ended", {
    id: subject.id,
    uetr: subject.uetr,
    receiver: subject.receiverId,
    operation: subject.operation,
    outcome,
    httpStatusCode,
    attempts: progress.attempts,
    partition: partition.number,
  });
}

/** Acts on the result of an attempt. `isParked` tells whether the store has the message. */
export function settleAttempt(
  context: EngineContext,
  partition: DeliveryPartition,
  delivery: Delivery,
  result: AttemptResult,
  isParked: boolean,
): Promise<void> {
  if (result.class !== "acknowledged") return handleFailure(context, partition, delivery, result, isParked);
  const ended = endDelivery(context, partition, delivery, toAcknowledgedEnd(result));
  return isParked ? ended.then(() => unpark(context, partition, delivery)) : ended;
}

export function toAcknowledgedEnd({ httpStatusCode, progress }: AttemptResult): EndReason {
  return { outcome: "acknowledged", httpStatusCode, progress };
}

async function handleFailure(
  context: EngineContext,
  partition: DeliveryPartition,
  delivery: Delivery,
  result: AttemptResult,
  isParked: boolean,
): Promise<void> {
  const { httpStatusCode, progress } = result;
  if (result.class === "refused") {
    await markEnded(context, partition, delivery, { progress, ended: "refusing" }, isParked);
    await reportRefusal(context, partition, delivery, progress);
    return;
  }
  // A fault of the address does not go away by itself: people have to look, hence the warning.
  context.logger[result.class === "address" ? "warn" : "info"]("delivery.failed", {
    id: delivery.id,
    uetr: delivery.uetr,
    receiver: delivery.receiverId,
    operation: delivery.operation,
    class: result.class,
    httpStatusCode,
    reason: progress.recentAttempts.at(-1)?.answer,
    attempts: progress.attempts,
    waitMs: result.waitMs,
    partition: partition.number,
  });
  const next = { progress, nextAttemptAtMs: result.nextAttemptAtMs, ended: null };
  if (!isParked) return park(context, partition, delivery, next, "failed");
  await context.parkedCalls.update(partition, toParkedMessage(partition, delivery, next));
  getQueue(context, partition, delivery.receiverId).page.reschedule(
    delivery.id,
    context.time.monotonicMs() + result.waitMs,
    progress.attempts,
  );
}

/** #4. The last attempt is the one that was refused. */
export async function reportRefusal(
  context: EngineContext,
  partition: DeliveryPartition,
  delivery: Delivery,
  progress: AttemptProgress,
): Promise<void> {
  const httpStatusCode = progress.recentAttempts.at(-1)?.httpStatusCode ?? null;
  await endDelivery(context, partition, delivery, { outcome: "refused", httpStatusCode, progress });
  await markEnded(context, partition, delivery, { progress, ended: "refused" }, true);
}

/** #3: ends a delivery whose own deadline has passed. */
export async function expireDelivery(
  context: EngineContext,
  partition: DeliveryPartition,
  delivery: Delivery,
  progress: AttemptProgress,
  isParked: boolean,
): Promise<void> {
  await endDelivery(context, partition, delivery, { outcome: "expired", httpStatusCode: null, progress });
  if (context.rules.isExpiredKept) await markEnded(context, partition, delivery, { progress, ended: "refused" }, isParked);
  else if (isParked) await unpark(context, partition, delivery);
}

export async function unpark(
  context: EngineContext,
  partition: DeliveryPartition,
  subject: Pick<DeliverySubject, "id" | "receiverId">,
): Promise<void> {
  await context.parkedCalls.remove(partition, subject);
  getQueue(context, partition, subject.receiverId).page.remove(subject.id);
}

/** #2 */
export async function markEnded(
  context: EngineContext,
  partition: DeliveryPartition,
  delivery: Delivery,
  state: Omit<ParkedState, "nextAttemptAtMs">,
  isParked: boolean,
): Promise<void> {
  const kept = { ...state, nextAttemptAtMs: context.brokerClock.nowMs() };
  if (kept.ended !== "refusing") partition.givenUp.add(delivery.id);
  if (!isParked) return park(context, partition, delivery, kept, "ended");
  await context.parkedCalls.update(partition, toParkedMessage(partition, delivery, kept));
  if (kept.ended !== "refusing") getQueue(context, partition, delivery.receiverId).page.remove(delivery.id);
}
