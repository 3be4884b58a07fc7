// Applies the markers of a receiver that operators pause and resume, and ends a maintenance.
//
// #1 From a pause on no attempt to the receiver begins in the partition; attempts under way end. New messages are
//    parked untried.
// #2 What needs no attempt goes on: attempts end with their day, an own deadline expires, a stored refusal is reported.
// #3 From a resume on all first messages of its keys are due at once, whatever they waited for; its queue drains before
//    a new message is tried.
// #4 A maintenance ends by itself on the broker clock, as by a resume. One timer a partition waits for the next end,
//    and is set again where the broker clock has not reached it.

import type { BankPaused, BankResumed } from "@sluice/contracts";
import type { EngineContext } from "../context.ts";
import { drainReceiver } from "../backlog/drain.ts";
import type { ReceiverQueue, DeliveryPartition } from "./delivery-partition.ts";
import type { MarkerPosition } from "./partition-pauses.ts";

export function applyPause(
  context: EngineContext,
  partition: DeliveryPartition,
  marker: Pick<BankPaused, "bank" | "number" | "untilMs">,
  place: MarkerPosition,
): void {
  if (!partition.pauses.pause(marker, place)) return;
  const { bank: receiverId, number, untilMs } = marker;
  recordTransition(context, partition, "receiver.paused", {
    receiver: receiverId,
    number,
    untilMs,
    to: untilMs === null ? "paused" : "maintenance",
  });
  for (const queue of findQueues(partition, marker.bank)) {
    queue.page.rearm();
    drainReceiver(context, partition, queue);
  }
  awaitMaintenanceEnds(context, partition);
}

export function applyResume(
  context: EngineContext,
  partition: DeliveryPartition,
  marker: Pick<BankResumed, "bank" | "number">,
  place: MarkerPosition,
): void {
  if (!partition.pauses.resume(marker, place)) return;
  recordTransition(context, partition, "receiver.resumed", { receiver: marker.bank, number: marker.number, to: "active" });
  resumeQueues(context, partition, marker.bank);
  awaitMaintenanceEnds(context, partition);
}

/** #4. Ends what is over, then waits for the next end. Also called at a take-over, with what the store knew. */
export function awaitMaintenanceEnds(context: EngineContext, partition: DeliveryPartition): void {
  clearMaintenanceTimer(partition);
  const nowMs = context.brokerClock.nowMs();
  for (const receiverId of partition.pauses.takeEnded(nowMs)) {
    recordTransition(context, partition, "receiver.maintenance-ended", { receiver: receiverId, to: "active" });
    resumeQueues(context, partition, receiverId);
  }
  const endMs = partition.pauses.nextEndMs();
  if (endMs === null || !partition.lease.isOpen) return;
  const waitMs = Math.min(lookAgainMs, Math.max(1, Math.ceil(endMs - nowMs)));
  partition.pauses.timer = context.time.after(waitMs, () => awaitMaintenanceEnds(context, partition));
}

/** Cancels the timer. */
export function clearMaintenanceTimer(partition: DeliveryPartition): void {
  partition.pauses.timer?.[Symbol.dispose]();
  partition.pauses.timer = null;
}

/** Milliseconds until the next look, because the broker clock may be corrected meanwhile. */
const lookAgainMs = 60_000;

/** #3 */
function resumeQueues(context: EngineContext, partition: DeliveryPartition, receiverId: string): void {
  for (const queue of findQueues(partition, receiverId)) {
    queue.page.makeDue(context.time.monotonicMs());
    drainReceiver(context, partition, queue);
  }
  const resumedAtMs = partition.pauses.resumedAtMs(receiverId) ?? context.brokerClock.nowMs();
  for (const endpoint of context.endpoints.forReceiver(receiverId)) endpoint.resume(resumedAtMs);
}

/** Finds the receiver's queues, whatever key they are kept under. */
function findQueues(partition: DeliveryPartition, receiverId: string): readonly ReceiverQueue[] {
  return [...partition.queues.values()].filter((queue) => queue.receiverId === receiverId);
}

/** `to` is the state that begins, as people see it. */
interface Transition {
  readonly receiver: string;
  readonly to: "paused" | "maintenance" | "active";
  readonly number?: number;
  readonly untilMs?: number | null;
}

function recordTransition(
  context: EngineContext,
  partition: DeliveryPartition,
  event: string,
  { receiver: receiverId, to, ...fields }: Transition,
): void {
  partition.isStateWritten = false;
  const parked = findQueues(partition, receiverId).reduce((sum, { page }) => sum + page.size, 0);
  context.logger.info(event, { receiver: receiverId, ...fields, partition: partition.number, parked });
  const labels = { receiver: receiverId, partition: String(partition.number) };
  context.metrics.paused.set(partition.pauses.isPaused(receiverId) ? 1 : 0, labels);
  context.metrics.pauseTransitions.add({ ...labels, to });
}
