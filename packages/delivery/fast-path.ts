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

import { begin, resultOf, type Attempting, type AttemptResult } from "./attempt.ts";
import type { Slot, SlotWaiter } from "./bank-slots.ts";
import { bankShareMax } from "./bounds.ts";
import type { EngineContext } from "./context.ts";
import { untried, type Delivery, type Progress } from "./delivery.ts";
import type { Destination, Hold } from "./destination.ts";
import { drain } from "./drain.ts";
import { acknowledgedBy, beginEnd, expire, settle } from "./end.ts";
import type { Late } from "./equal-waits.ts";
import { lockKey } from "./key-locks.ts";
import { attemptsEndMs, isExpired, isOver, mayBeRepeat, queueOf, type BankQueue, type DeliveryLane } from "./lane.ts";
import { isLaneClosed, type Doer } from "./ownership.ts";
import type { BankAnswer } from "./port.ts";
import { park, type ParkReason } from "./spill.ts";

const nothingToDo = Promise.resolve();

/** Resolves when the message has ended or is parked; rejects with a retryable Fault when the lane closed before that. */
export function deliver(context: EngineContext, lane: DeliveryLane, delivery: Delivery): Promise<void> {
  if (!lane.ownership.isOpen) return Promise.reject(lane.ownership.closedFault());
  if (isDone(context, lane, delivery)) return nothingToDo;
  return new Promise((succeeded, failed) => new NewMessage(context, lane, delivery, { succeeded, failed }).come());
}

/**
 * A new message on its way: it comes, is given a slot, is tried, answered (or late), done. One object, whose steps are called as its way goes on:
 * with a promise for each step a twentieth of what a delivery costs was theirs.
 */
class NewMessage implements SlotWaiter, Late, Doer<void> {
  readonly #context: EngineContext;
  readonly #lane: DeliveryLane;
  readonly #delivery: Delivery;
  readonly #queue: BankQueue;
  readonly #destination: Destination;
  readonly #caller: Doer<void>;
  #answerWait: Disposable | null = null;
  /** Once its answer was late: what the attempt brings. */
  #detached: PromiseWithResolvers<AttemptResult> | null = null;
  #isOver = false;

  constructor(context: EngineContext, lane: DeliveryLane, delivery: Delivery, caller: Doer<void>) {
    this.#context = context;
    this.#lane = lane;
    this.#delivery = delivery;
    this.#caller = caller;
    this.#queue = queueOf(context, lane, delivery.bank);
    this.#destination = context.destinations.of(delivery.bank, delivery.operation);
  }

  come(): void {
    this.#queue.inHand += 1;
    try {
      this.#come();
    } catch (error) {
      this.failed(error);
    }
  }

  #come(): void {
    const context = this.#context;
    const lane = this.#lane;
    const delivery = this.#delivery;
    const { slots } = this.#destination;
    const nowMs = context.time.monotonicMs();
    lane.company.saw(delivery.bank, nowMs);
    if (isExpired(context, delivery)) return this.#leaveTo(expire(context, lane, delivery, asNew(lane, delivery), false));
    const reason = this.#spillReason(nowMs);
    if (reason !== null) return this.#park(reason);
    const slot = slots.takeFree("first");
    if (slot === null) slots.wait("first", context.bounds.slotWaitMaxMs, lane.ownership, this, nowMs);
    else this.given(slot);
  }

  /** #1, #2 */
  #spillReason(nowMs: number): ParkReason | null {
    const { bank, deliveryKey } = this.#delivery;
    const why = this.#whyNotNow();
    if (why !== null) return why;
    // Of one that left the page because its day has closed, an attempt may be under way all the same.
    if (this.#queue.page.holds(deliveryKey) || this.#lane.locks.isHeld(lockKey(bank, deliveryKey))) return "held";
    if (this.#queue.isSpilling) return "spilling";
    const { bounds } = this.#context;
    const { slots, expectedWaitMs } = this.#destination;
    const isAlone = this.#lane.company.isAlone(bank, nowMs);
    const isSlow = isAlone
      ? (slots.isStuck || expectedWaitMs > bounds.answerWaitMaxMs) && !slots.keepsUp
      : slots.isStuck || expectedWaitMs > bounds.slotWaitMaxMs;
    return isSlow && this.#queue.inHand > bankShareMax(bounds) ? "share" : null;
  }

  #whyNotNow(): "over" | "paused" | Hold | null {
    const context = this.#context;
    const lane = this.#lane;
    const delivery = this.#delivery;
    if (isOver(context, lane, delivery) || isExpired(context, delivery)) return "over";
    return lane.pauses.isPaused(delivery.bank) ? "paused" : this.#destination.holdOf(attemptsEndMs(lane, delivery));
  }

  /** #2 */
  isPatient(): boolean {
    return this.#lane.company.isAlone(this.#delivery.bank, this.#context.time.monotonicMs());
  }

  /** Null: none in time. */
  given(slot: Slot | null): void {
    try {
      if (slot !== null) return this.#lane.ownership.isKnown ? this.#try(slot) : this.#tryOnceKnown(slot);
      this.#lane.ownership.requireOpen();
      return this.#park("slot");
    } catch (error) {
      return this.failed(error);
    }
  }

  /** #3 */
  #tryOnceKnown(slot: Slot): void {
    this.#lane.ownership
      .mayAct()
      .then(
        () => this.#try(slot),
        (closed: unknown) => {
          slot[Symbol.dispose]();
          throw closed;
        },
      )
      .catch((error: unknown) => this.failed(error));
  }

  #try(slot: Slot): void {
    // It may have been paused or held meanwhile, or attempts be over.
    const why = this.#whyNotNow();
    if (why !== null) {
      slot[Symbol.dispose]();
      return this.#park(why);
    }
    const attempting = begin(this.#context, this.#delivery, untried);
    this.#answerWait = this.#context.answerWaits.begin(this, attempting.startedMs);
    void attempting.exchanging.then((answer) => this.#answered(slot, attempting, answer));
  }

  #answered(slot: Slot, attempting: Attempting, answer: BankAnswer): void {
    this.#answerWait?.[Symbol.dispose]();
    try {
      const result = this.#resultOf(slot, attempting, answer);
      if (this.#detached !== null) this.#detached.resolve(result);
      else this.#settle(result);
    } catch (error) {
      if (this.#detached !== null) this.#detached.reject(error);
      else this.failed(error);
    }
  }

  #resultOf(slot: Slot, attempting: Attempting, answer: BankAnswer): AttemptResult {
    using _ = slot;
    return resultOf(this.#context, this.#lane, this.#delivery, attempting, answer);
  }

  #settle(result: AttemptResult): void {
    this.#lane.ownership.requireOpen();
    if (result.class === "acknowledged") beginEnd(this.#context, this.#lane, this.#delivery, acknowledgedBy(result), this);
    else this.#leaveTo(settle(this.#context, this.#lane, this.#delivery, result, false));
  }

  /** #4 */
  late(): void {
    if (!this.#lane.ownership.isOpen) return this.failed(this.#lane.ownership.closedFault());
    this.#detached = Promise.withResolvers<AttemptResult>();
    const { promise } = this.#detached;
    // It is looked at once the message is parked.
    promise.catch(() => {});
    this.#leaveTo(detach(this.#context, this.#lane, this.#queue, this.#delivery, promise));
  }

  #park(reason: ParkReason): void {
    this.#leaveTo(parkUntried(this.#context, this.#lane, this.#delivery, reason, 0));
  }

  #leaveTo(work: Promise<void>): void {
    work.then(
      () => this.succeeded(),
      (error: unknown) => this.failed(error),
    );
  }

  succeeded(): void {
    if (this.#leave()) this.#caller.succeeded();
  }

  failed(error: unknown): void {
    if (this.#leave()) this.#caller.failed(error);
  }

  /** False: it has left already. */
  #leave(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#queue.inHand -= 1;
    if (!isNothingParked(this.#queue)) drain(this.#context, this.#lane, this.#queue);
    return true;
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
