// Fast path: a new message is tried at once, and an acknowledged one costs no write to the store.
//
// #1 Only a message with nothing parked before it (same bank and key), of a bank that does not spill, whose day is not over,
//    is tried. Handlers of one key come one after the other, so its turn comes when the one before is done or parked.
// #2 It waits at most `slotWaitMaxMs` for its bank, and a bank may have at most an eighth of the lane's buffer in hand: beyond
//    either it is parked without an attempt (I14).
// #3 An attempt begins only while the lane is known to be ours.

import { attempt, type AttemptResult } from "./attempt.ts";
import { bankShareMax } from "./bounds.ts";
import type { EngineContext } from "./context.ts";
import { untried, type Delivery } from "./delivery.ts";
import { drain } from "./drain.ts";
import { expire, settle } from "./end.ts";
import { isExpired, isOver, queueOf, type BankQueue, type DeliveryLane } from "./lane.ts";
import { park, type ParkReason } from "./spill.ts";

/** Resolves when the message has ended or is parked; rejects with a retryable Fault when the lane closed before that. */
export async function deliver(context: EngineContext, lane: DeliveryLane, delivery: Delivery): Promise<void> {
  lane.ownership.requireOpen();
  if (lane.parkedAhead.has(delivery.id)) {
    lane.parkedAhead.delete(delivery.id);
    return;
  }
  const queue = queueOf(context, lane, delivery.bank);
  queue.inHand += 1;
  try {
    await deliverNew(context, lane, queue, delivery);
  } finally {
    queue.inHand -= 1;
    drain(context, lane, queue);
  }
}

async function deliverNew(context: EngineContext, lane: DeliveryLane, queue: BankQueue, delivery: Delivery): Promise<void> {
  if (isExpired(context, delivery)) return expire(context, lane, delivery, untried, null);
  const reason = spillReason(context, lane, queue, delivery);
  const result = reason === null ? await tryNow(context, lane, delivery) : reason;
  if (typeof result !== "string") return settle(context, lane, delivery, result, null);
  const now = { progress: untried, nextAttemptAtMs: context.agreed.nowMs(), ended: null };
  return park(context, lane, delivery, now, result);
}

/** #1, #2 */
function spillReason(context: EngineContext, lane: DeliveryLane, queue: BankQueue, delivery: Delivery): ParkReason | null {
  if (isOver(context, lane, delivery)) return "day-over";
  if (queue.page.holds(delivery.deliveryKey)) return "held";
  if (queue.isSpilling) return "spilling";
  if (queue.inHand > bankShareMax(context.bounds)) return "share";
  return null;
}

async function tryNow(context: EngineContext, lane: DeliveryLane, delivery: Delivery): Promise<AttemptResult | ParkReason> {
  const { ownership } = lane;
  const slot = await context.slots(delivery.bank).acquire("first", context.bounds.slotWaitMaxMs, ownership.signal);
  if (slot === null) {
    ownership.requireOpen();
    return "slot";
  }
  try {
    await ownership.mayAct();
  } catch (error) {
    slot[Symbol.dispose]();
    throw error;
  }
  // The slot is free when the exchange is over, also where the lane closes before that.
  const attempting = attempt(context, lane, delivery, untried).finally(() => slot[Symbol.dispose]());
  return await ownership.whileOpen(attempting);
}
