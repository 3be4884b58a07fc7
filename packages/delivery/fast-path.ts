// Fast path: a new message is tried at once, and an acknowledged one costs no write to the store.
//
// #1 Only a message with nothing parked before it (same bank and key), of a bank that does not spill, that attempts are not
//    over for, is tried. Of a paused one, and to an address that is held (destination.ts), nothing is: it is parked untried. Handlers of one key come one after the other, so its turn comes when the one before is done or parked.
// #2 It waits at most `slotWaitMaxMs` for its bank, and a bank may have at most an eighth of what runs in the lane, where a turn at it does not come
//    within that time. Beyond either the message is parked without an attempt (I14). A bank that had the lane for itself for the last minute is waited for
//    longer while it acknowledges (bank-slots.ts #3): it holds nobody up but itself, and a healthy bank's backlog does not go through the store.
// #3 An attempt begins only while the lane is known to be ours.
// #4 A bank that has not answered after `answerWaitMaxMs` does not hold the lane: the message is parked and its record done,
//    while the attempt goes on under the key's lock; what it brings is settled as a retry's would be (I14).
// #5 A further record of what was given up is done as it is read (given-up.ts).

import { attempt, type AttemptResult } from "./attempt.ts";
import type { Slot } from "./bank-slots.ts";
import { bankShareMax } from "./bounds.ts";
import type { EngineContext } from "./context.ts";
import { untried, type Delivery, type Progress } from "./delivery.ts";
import type { Destination, Hold } from "./destination.ts";
import { drain } from "./drain.ts";
import { expire, settle } from "./end.ts";
import { lockKey } from "./key-locks.ts";
import { attemptsEndMs, isExpired, isOver, mayBeRepeat, queueOf, type BankQueue, type DeliveryLane } from "./lane.ts";
import { isLaneClosed } from "./ownership.ts";
import { park, type ParkReason } from "./spill.ts";

/** Resolves when the message has ended or is parked; rejects with a retryable Fault when the lane closed before that. */
export async function deliver(context: EngineContext, lane: DeliveryLane, delivery: Delivery): Promise<void> {
  lane.ownership.requireOpen();
  if (isDone(context, lane, delivery)) return undefined;
  const nowMs = context.time.monotonicMs();
  lane.company.saw(delivery.bank, nowMs);
  const queue = queueOf(context, lane, delivery.bank);
  queue.inHand += 1;
  try {
    if (isExpired(context, delivery)) return await expire(context, lane, delivery, asNew(lane, delivery), false);
    const destination = context.destinations.of(delivery.bank, delivery.operation);
    const reason = spillReason(context, { lane, queue, delivery, destination, nowMs });
    if (reason !== null) return await parkUntried(context, lane, delivery, reason, 0);
    const slot = destination.slots.takeFree("first") ?? (await turn(context, lane, delivery, destination));
    if (slot === null) {
      lane.ownership.requireOpen();
      return await parkUntried(context, lane, delivery, "slot", 0);
    }
    if (!lane.ownership.isKnown) await untilKnown(lane, slot);
    // It may have been paused or held meanwhile, or attempts be over.
    const why = whyNotNow(context, lane, delivery, destination);
    if (why !== null) {
      slot[Symbol.dispose]();
      return await parkUntried(context, lane, delivery, why, 0);
    }
    const attempting = attempt(context, lane, delivery, untried, slot);
    const result = await answeredSoon(context, attempting);
    lane.ownership.requireOpen();
    if (result === null) return await detach(context, lane, queue, delivery, attempting);
    return await settle(context, lane, delivery, result, false);
  } finally {
    queue.inHand -= 1;
    if (!isNothingParked(queue)) drain(context, lane, queue);
  }
}

/** It is parked already, or not tried any more. */
function isDone({ log }: EngineContext, lane: DeliveryLane, { id, uetr, bank }: Delivery): boolean {
  // As it is while all goes well: nothing has to be looked up.
  if (lane.parkedAhead.size === 0 && lane.givenUp.size === 0) return false;
  if (lane.parkedAhead.delete(id)) return true;
  if (!lane.givenUp.has(id)) return false;
  log.info("delivery.read-again", { id, uetr, bank, partition: lane.partition });
  return true;
}

/** And none is to be looked for: as it is while all goes well. */
function isNothingParked({ page, isSpilling }: BankQueue): boolean {
  return page.size === 0 && page.coveredBelow === null && !isSpilling;
}

/** Not tried by this owner; one before may have. */
function asNew(lane: DeliveryLane, delivery: Delivery): Progress {
  return { ...untried, mayHaveBeenTaken: mayBeRepeat(lane, delivery) };
}

interface Come {
  readonly lane: DeliveryLane;
  readonly queue: BankQueue;
  readonly delivery: Delivery;
  readonly destination: Destination;
  /** Monotonic. */
  readonly nowMs: number;
}

/** #1, #2 */
function spillReason(context: EngineContext, { lane, queue, delivery, destination, nowMs }: Come): ParkReason | null {
  const why = whyNotNow(context, lane, delivery, destination);
  if (why !== null) return why;
  // Of one that left the page because its day has closed, an attempt may be under way all the same.
  if (queue.page.holds(delivery.deliveryKey) || lane.locks.isHeld(lockKey(delivery.bank, delivery.deliveryKey))) return "held";
  if (queue.isSpilling) return "spilling";
  const { bounds } = context;
  const { slots, expectedWaitMs } = destination;
  const isAlone = lane.company.isAlone(delivery.bank, nowMs);
  const isSlow = isAlone
    ? !slots.keepsUp && (slots.isStuck || expectedWaitMs > bounds.answerWaitMaxMs)
    : slots.isStuck || expectedWaitMs > bounds.slotWaitMaxMs;
  return isSlow && queue.inHand > bankShareMax(bounds) ? "share" : null;
}

async function parkUntried(
  context: EngineContext,
  lane: DeliveryLane,
  delivery: Delivery,
  reason: ParkReason,
  waitMs: number,
): Promise<void> {
  const state = { progress: untried, nextAttemptAtMs: context.agreed.nowMs() + waitMs, ended: null };
  return park(context, lane, delivery, state, reason);
}

/** #2. Null: it had none in time. */
function turn(context: EngineContext, lane: DeliveryLane, { bank }: Delivery, { slots }: Destination): Promise<Slot | null> {
  const patience = { isPatient: () => lane.company.isAlone(bank, context.time.monotonicMs()) };
  return slots.acquire("first", context.bounds.slotWaitMaxMs, lane.ownership, patience);
}

/** #3 */
async function untilKnown({ ownership }: DeliveryLane, slot: Slot): Promise<void> {
  try {
    await ownership.mayAct();
  } catch (error) {
    slot[Symbol.dispose]();
    throw error;
  }
}

type NotNow = "over" | "paused" | Hold;

function whyNotNow(context: EngineContext, lane: DeliveryLane, delivery: Delivery, destination: Destination): NotNow | null {
  if (isOver(context, lane, delivery) || isExpired(context, delivery)) return "over";
  return lane.pauses.isPaused(delivery.bank) ? "paused" : destination.holdOf(attemptsEndMs(lane, delivery));
}

/** #4. Null: not yet. */
function answeredSoon({ answerWaits }: EngineContext, attempting: Promise<AttemptResult>): Promise<AttemptResult | null> {
  return new Promise((resolve, reject) => {
    const late = answerWaits.begin(() => resolve(null));
    attempting.then(inTime(late, resolve), inTime(late, reject));
  });
}

function inTime<Value>(late: Disposable, settle: (value: Value) => void): (value: Value) => void {
  return (value) => {
    late[Symbol.dispose]();
    settle(value);
  };
}

/** #4. Its turn in the page comes after the attempt must be over; should it come before, it waits for the lock. */
async function detach(
  context: EngineContext,
  lane: DeliveryLane,
  queue: BankQueue,
  delivery: Delivery,
  attempting: Promise<AttemptResult>,
): Promise<void> {
  const timeoutMs = context.receiver(delivery.bank)?.answerTimeoutMs ?? 0;
  const parking = parkUntried(context, lane, delivery, "slow", timeoutMs);
  const settling = lane.locks
    .hold(lockKey(delivery.bank, delivery.deliveryKey), async () => {
      await parking;
      await settle(context, lane, delivery, await lane.ownership.whileOpen(attempting), true);
    })
    .catch((error: unknown) => {
      if (isLaneClosed(error)) return;
      context.log.error("delivery.attempt-failed", { id: delivery.id, bank: delivery.bank, partition: lane.partition, error });
    })
    .then(() => {
      lane.running.delete(settling);
      return drain(context, lane, queue);
    });
  lane.running.add(settling);
  await parking;
}
