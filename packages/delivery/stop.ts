// Stop: a change ends a delivery, and the journal is answered.
//
// #1 Every stop is answered, also for a message that is parked here no longer, or never was: with what is known of its
//    attempts. The answer is acknowledged by the log before the parked copy goes.
// #2 An attempt under way is waited for: the answer says what it brought.
//    Whether the bank was paused is said as of the stop's place in the topic, so it is the same whenever that is read.
// #3 What could still be tried stays in the store for a while, marked: its record may come once more (given-up.ts).
// #4 A change older than the last one applied to the message is ignored.

import type { ParkedMessage } from "@sluice/store";
import type { EngineContext } from "./context.ts";
import type { DeliverySubject } from "./delivery.ts";
import { drain } from "./drain.ts";
import { end, keepEnded, unpark } from "./end.ts";
import { forgetStopped } from "./forget-stopped.ts";
import { lockKey } from "./key-locks.ts";
import { isOver, queueOf, type DeliveryLane } from "./lane.ts";
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
    // What was stopped before is answered once more, to the journal alone.
    const isKnown = parked !== undefined && parked.ended !== "stopped";
    const isBankPaused = lane.pauses.wasPausedAt(subject.bank, { offset: stop.sequence, appendedAtMs: stop.appendedAtMs });
    const operation = parked === undefined ? subject.operation : (await readParked(context, parked)).operation;
    await end(
      context,
      lane,
      { ...subject, operation },
      { outcome: "stopped", httpStatusCode: null, progress, stopOffset: causedByOffset, isKnown, isBankPaused },
    );
    if (parked !== undefined) await leave(context, lane, parked, stop.sequence);
    lane.recent.changed(subject.id, progress, causedByOffset);
  });
  drain(context, lane, queueOf(context, lane, subject.bank));
}

/** #3 */
async function leave(context: EngineContext, lane: DeliveryLane, parked: ParkedMessage, sequence: bigint): Promise<void> {
  if (parked.ended === null && isOver(context, lane, parked)) return unpark(context, lane, parked);
  const delivery = await readParked(context, parked);
  await keepEnded(context, lane, delivery, { progress: progressOf(lane, parked), ended: "stopped" }, true);
  lane.givenUp.stopped({ id: parked.id, bank: parked.bank, sequence, atMs: context.agreed.nowMs() });
  forgetStopped(context, lane);
}
