// Stop: a change ends a delivery, and the journal is answered.
//
// #1 Every stop is answered with what is known of the attempts, also for a message that is no longer parked here or
//    never was. The broker acknowledges the answer before the parked copy is removed.
// #2 A stop waits for the attempt under way, so that its answer includes that attempt's result. Whether the receiver
//    was paused is read at the stop's position in the topic, so a stop that is read again gives the same answer.
// #3 A message that could still be tried stays in the store for a while, marked, because its record may be read again
//    (given-up-messages.ts).
// #4 A change older than the last one applied to the message is ignored.
// #5 A message that this owner has reported as acknowledged needs no answer: the journal has it. Nothing is appended,
//    and the store is not read where all that the receiver has parked is in memory. A bank that reports at once, before
//    its 202 is in the journal, causes such a stop in every second journey.

import type { ParkedMessage } from "@sluice/store";
import type { EngineContext } from "../context.ts";
import type { DeliverySubject } from "../rules.ts";
import { drainReceiver } from "../backlog/drain.ts";
import { loadParked } from "../backlog/late-rows.ts";
import { endDelivery, markEnded, unpark } from "./end.ts";
import { removeStopped } from "./remove-stopped.ts";
import { lockKey } from "../partition/key-locks.ts";
import { areAttemptsOver, getQueue, type DeliveryPartition } from "../partition/delivery-partition.ts";
import { readParkedDelivery } from "../backlog/read-parked.ts";
import { progressFromParked } from "../backlog/spill.ts";

export interface DeliveryStop {
  readonly subject: DeliverySubject;
  readonly deliveryKey: string;
  /** The journal offset of the fact that caused it. */
  readonly causedByOffset: bigint;
  /** The offset of its record in the partition. */
  readonly sequence: bigint;
  /** The append time of that record, in epoch ms. */
  readonly appendedAtMs: number;
}

/** Resolves when the stop is answered; rejects with a retryable Fault if the partition closes before that. */
export async function applyStop(context: EngineContext, partition: DeliveryPartition, stop: DeliveryStop): Promise<void> {
  const { subject, causedByOffset } = stop;
  partition.lease.requireOpen();
  if (partition.recentEnds.isOlder(subject.id, causedByOffset)) {
    context.logger.info("delivery.change-ignored", { id: subject.id, uetr: subject.uetr, receiver: subject.receiverId, causedByOffset });
    return;
  }
  await partition.locks.run(lockKey(subject.receiverId, stop.deliveryKey), async () => {
    const isAcknowledged = partition.recentEnds.isAcknowledged(subject.id);
    if (isAcknowledged && isSurelyNotParked(context, partition, stop)) return;
    const parked = await loadParked(context, partition, subject);
    // #5
    if (isAcknowledged && parked === undefined) return;
    const progress = parked === undefined ? partition.recentEnds.progress(subject.id) : progressFromParked(partition, parked);
    // A message that was stopped before is answered once more, to the journal alone.
    const isKnown = parked !== undefined && parked.ended !== "stopped";
    const isReceiverPaused = partition.pauses.wasPausedAt(subject.receiverId, { offset: stop.sequence, appendedAtMs: stop.appendedAtMs });
    const operation = parked === undefined ? subject.operation : (await readParkedDelivery(context, parked)).operation;
    await endDelivery(
      context,
      partition,
      { ...subject, operation },
      { outcome: "stopped", httpStatusCode: null, progress, stopOffset: causedByOffset, isKnown, isReceiverPaused },
    );
    if (parked !== undefined) await keepMarked(context, partition, parked, stop.sequence);
    partition.recentEnds.recordChange(subject.id, progress, causedByOffset);
  });
  drainReceiver(context, partition, getQueue(context, partition, subject.receiverId));
}

/**
 * Tells whether memory alone shows that an acknowledged message is not parked again. One whose day is over is in no
 * page, and is not parked again either (closed-days.ts #4).
 */
function isSurelyNotParked(context: EngineContext, partition: DeliveryPartition, { subject, deliveryKey }: DeliveryStop): boolean {
  const { page } = getQueue(context, partition, subject.receiverId);
  return page.isComplete && !partition.scan.isReading && !page.containsKey(deliveryKey);
}

/** #3 */
async function keepMarked(context: EngineContext, partition: DeliveryPartition, parked: ParkedMessage, sequence: bigint): Promise<void> {
  if (parked.ended === null && areAttemptsOver(context, partition, parked)) return unpark(context, partition, parked);
  const delivery = await readParkedDelivery(context, parked);
  await markEnded(context, partition, delivery, { progress: progressFromParked(partition, parked), ended: "stopped" }, true);
  partition.givenUp.addStopped({ id: parked.id, receiverId: parked.receiverId, sequence, atMs: context.brokerClock.nowMs() });
  removeStopped(context, partition);
}
