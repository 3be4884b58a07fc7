// Redrive: an operator orders another try of a message that was refused or given up, with the same id and bytes.
//
// #1 Only a message that is parked and given up is redriven: it is due at once, and its attempts go on counting. Any
//    other redrive does nothing, and the logger says why.
// #2 Each redrive is applied once, because its offset is stored with the message. A redrive that is read again, or is
//    older than the last change applied to the message, does nothing.
// #3 A message whose day has closed, or whose time to stop has passed, stays as it is: no attempt is made past either.
// #4 A posting's own deadline is extended to one hour after the redrive where that is later, so that an expired one is
//    tried again.
// #5 A refusal that may not be reported yet is reported first (end.ts #4).

import type { ParkedMessage } from "@sluice/store";
import type { EngineContext } from "../context.ts";
import type { DeliverySubject } from "../rules.ts";
import { drainReceiver } from "../backlog/drain.ts";
import { loadParked } from "../backlog/late-rows.ts";
import { reportRefusal } from "./end.ts";
import { lockKey } from "../partition/key-locks.ts";
import {
  effectiveDeadlineMs,
  toBacklogEntry,
  areAttemptsOver,
  updateSpilling,
  getQueue,
  type DeliveryPartition,
} from "../partition/delivery-partition.ts";
import { readParkedDelivery } from "../backlog/read-parked.ts";
import { toParkedMessage, progressFromParked, addToPage } from "../backlog/spill.ts";

export interface DeliveryRedrive {
  readonly subject: Pick<DeliverySubject, "id" | "uetr" | "receiverId">;
  readonly deliveryKey: string;
  /** The journal offset of the operator's decision. */
  readonly causedByOffset: bigint;
  /** The append time of the record that carries it, in epoch ms. */
  readonly appendedAtMs: number;
}

export const redriveExtensionMs = 3_600_000;

/** Resolves when it is applied or ignored; rejects with a retryable Fault if the partition closes before that. */
export async function applyRedrive(context: EngineContext, partition: DeliveryPartition, redrive: DeliveryRedrive): Promise<void> {
  const { subject, causedByOffset } = redrive;
  partition.lease.requireOpen();
  await partition.locks.run(lockKey(subject.receiverId, redrive.deliveryKey), async () => {
    const parked = await loadParked(context, partition, subject);
    const why = findIgnoreReason(context, partition, redrive, parked);
    context.metrics.redrives.add({ receiver: subject.receiverId, result: why ?? "applied" });
    const fields = { id: subject.id, uetr: subject.uetr, receiver: subject.receiverId, causedByOffset, partition: partition.number };
    if (parked === undefined || why !== null) {
      context.logger.warn("delivery.redrive-ignored", { ...fields, why });
      return;
    }
    await apply(context, partition, redrive, parked);
    context.logger.info("delivery.redriven", { ...fields, attempts: parked.attempts });
  });
  drainReceiver(context, partition, getQueue(context, partition, subject.receiverId));
}

type IgnoreReason = "older" | "not-parked" | "still-tried" | "attempts-over";

function findIgnoreReason(
  context: EngineContext,
  partition: DeliveryPartition,
  { subject, causedByOffset }: DeliveryRedrive,
  parked: ParkedMessage | undefined,
): IgnoreReason | null {
  if (partition.recentEnds.isOlder(subject.id, causedByOffset)) return "older";
  if (parked === undefined || parked.receiverId !== subject.receiverId || parked.ended === "stopped") return "not-parked";
  if (parked.redrive !== null && causedByOffset <= parked.redrive.offset) return "older";
  if (parked.stop !== null && causedByOffset <= parked.stop.offset) return "older";
  if (parked.ended === null) return "still-tried";
  if (areAttemptsOver(context, partition, parked)) return "attempts-over";
  const deadlineMs = effectiveDeadlineMs(parked);
  return deadlineMs !== null && deadlineMs <= context.brokerClock.nowMs() && !context.rules.isExpiredKept ? "attempts-over" : null;
}

async function apply(context: EngineContext, partition: DeliveryPartition, redrive: DeliveryRedrive, parked: ParkedMessage): Promise<void> {
  const delivery = await readParkedDelivery(context, parked);
  const before = progressFromParked(partition, parked);
  if (parked.ended === "refusing") await reportRefusal(context, partition, delivery, before);
  const progress = { ...before, redrive: { offset: redrive.causedByOffset, untilMs: untilMs(context, redrive, parked) } };
  const message = toParkedMessage(partition, delivery, { progress, nextAttemptAtMs: context.brokerClock.nowMs(), ended: null });
  await context.parkedCalls.update(partition, message);
  partition.givenUp.remove(parked.id);
  partition.recentEnds.recordChange(parked.id, progress, redrive.causedByOffset);
  const queue = getQueue(context, partition, parked.receiverId);
  addToPage(context, partition, queue, toBacklogEntry(context, partition, message));
  updateSpilling(context, partition, queue);
}

/** #4. A record that is read late counts from now, because the operator asked for one attempt at least. */
function untilMs(context: EngineContext, { appendedAtMs }: DeliveryRedrive, parked: ParkedMessage): number | null {
  const deadlineMs = effectiveDeadlineMs(parked);
  if (deadlineMs === null || !context.rules.isExpiredKept) return parked.redrive?.untilMs ?? null;
  const extendedMs = Math.max(appendedAtMs, context.brokerClock.nowMs()) + redriveExtensionMs;
  return extendedMs > deadlineMs ? extendedMs : (parked.redrive?.untilMs ?? null);
}
