// Stop: a change ends a delivery, and the journal is answered.
//
// #1 Every stop is answered, also for a message that is parked here no longer, or never was: with what is known of its
//    attempts. The answer is acknowledged by the log before the parked copy goes.
// #2 An attempt under way is waited for: the answer says what it brought.
//    Whether the bank was paused is said as of the stop's place in the topic, so it is the same whenever that is read.
// #3 A change older than the last one applied to the message is ignored.

import type { EngineContext } from "./context.ts";
import type { DeliverySubject } from "./delivery.ts";
import { drain } from "./drain.ts";
import { end, unpark } from "./end.ts";
import { lockKey } from "./key-locks.ts";
import { queueOf, type DeliveryLane } from "./lane.ts";
import { readParked } from "./read-parked.ts";
import { progressOf } from "./spill.ts";

export interface DeliveryStop {
  readonly subject: DeliverySubject;
  readonly deliveryKey: string;
  /** Journal offset of its cause. */
  readonly causedByOffset: bigint;
  /** Offset of its record in the lane's topic. */
  readonly sequence: bigint;
  /** Append time of that record, epoch ms. */
  readonly appendedAtMs: number;
}

/** Resolves when the stop is answered; rejects with a retryable Fault when the lane closed before that. */
export async function stopDelivery(context: EngineContext, lane: DeliveryLane, stop: DeliveryStop): Promise<void> {
  const { subject, causedByOffset } = stop;
  lane.ownership.requireOpen();
  if (lane.recent.isOlder(subject.id, causedByOffset)) {
    context.log.info("delivery.change-ignored", { id: subject.id, uetr: subject.uetr, bank: subject.bank, causedByOffset });
    return;
  }
  await lane.locks.hold(lockKey(subject.bank, stop.deliveryKey), async () => {
    const parked = await context.parkedCalls.load(lane.ownership, subject);
    const progress = parked === undefined ? lane.recent.progress(subject.id) : progressOf(lane, parked);
    const isKnown = parked !== undefined;
    const isBankPaused = lane.pauses.wasPausedAt(subject.bank, { offset: stop.sequence, appendedAtMs: stop.appendedAtMs });
    const operation = parked === undefined ? subject.operation : (await readParked(context, parked)).operation;
    await end(
      context,
      lane,
      { ...subject, operation },
      { outcome: "stopped", httpStatusCode: null, progress, stopOffset: causedByOffset, isKnown, isBankPaused },
    );
    if (isKnown) await unpark(context, lane, subject);
    lane.recent.changed(subject.id, progress, causedByOffset);
  });
  drain(context, lane, queueOf(context, lane, subject.bank));
}
