// Fast path: a new message is tried at once, and an acknowledged one costs no write to the store.
//
//   arrived ─────────────┬─▶ parked     it may not be tried now (#1), or its receiver has its share in progress (#2)
//      │                 └─▶ settled    its own deadline has passed: it expires
//      ▼
//   waiting for a slot ────▶ parked     no slot became free in time (#2)
//      │
//      ▼
//   trying ──────────────┬─▶ parked     it was blocked while it waited; no attempt begins
//      │                 └─▶ late ─▶ parked while the attempt goes on (#4); its result is settled as a retry's
//      ▼
//   answered ──────────────▶ settled    acknowledged or refused: ended; otherwise parked for its next attempt
//
// #1 A message is tried only if nothing of its key is parked before it, its receiver does not spill and is not paused,
//    its endpoint is not suspended (endpoint.ts), its attempts are not over, and its partition is not being handed over
//    (attempts-under-way.ts #1); otherwise it is parked untried.
//    Handlers of one key run one after the other, so a message comes here when the one before it is done or parked.
// #2 It waits at most `slotWaitMaxMs` for a slot, and longer while its receiver acknowledges (attempt-slots.ts #3): the
//    records of others pass it, so that it delays only itself, and a healthy receiver's backlog does not go through the
//    store. Where the wait would be longer than `answerWaitMaxMs`, one receiver may have at most an eighth of what a
//    partition has in progress; beyond that, its messages are parked without an attempt (I14). A partition whose memory
//    is full can let nobody pass: there all but its only receiver in the last minute are waited for `slotWaitMaxMs`.
// #3 An attempt begins only while the lease of the partition is confirmed.
// #4 A receiver that has not answered after `answerWaitMaxMs` does not block the partition: the message is parked and
//    its record is done, while the attempt goes on under the key's lock (I14).
// #5 A further record of a given-up message is done as it is read (given-up-messages.ts).

import { parkOver } from "./closed-days.ts";
import { startAttempt, evaluateAnswer, type RunningAttempt, type AttemptResult } from "./attempt.ts";
import type { Slot, SlotWaiter } from "../endpoint/attempt-slots.ts";
import { receiverShareMax } from "../bounds.ts";
import type { EngineContext } from "../context.ts";
import { untried, type Delivery, type AttemptProgress } from "../rules.ts";
import type { Endpoint, BlockReason } from "../endpoint/endpoint.ts";
import { drainReceiver } from "../backlog/drain.ts";
import { toAcknowledgedEnd, startEnd, expireDelivery, settleAttempt } from "./end.ts";
import type { TimeoutListener } from "../timeout-group.ts";
import { lockKey } from "../partition/key-locks.ts";
import {
  attemptsEndMs,
  isExpired,
  areAttemptsOver,
  mayBeRepeat,
  getQueue,
  type ReceiverQueue,
  type DeliveryPartition,
} from "../partition/delivery-partition.ts";
import { isPartitionClosed, type Completion } from "../partition/delivery-lease.ts";
import type { ReceiverAnswer } from "../port.ts";
import { park, type ParkReason } from "../backlog/spill.ts";

const alreadyDone = Promise.resolve();

/**
 * Resolves when the message has ended or is parked; rejects with a retryable Fault if the partition closes before that.
 */
export function deliver(context: EngineContext, partition: DeliveryPartition, delivery: Delivery): Promise<void> {
  if (!partition.lease.isOpen) return Promise.reject(partition.lease.closedFault());
  if (isAlreadyHandled(context, partition, delivery)) return alreadyDone;
  return new Promise((resolve, reject) => new NewMessage(context, partition, delivery, { resolve, reject }).start());
}

/**
 * A new message in one of the states above. It is one object whose methods are called as its state changes: with a
 * promise for each step, a twentieth of what a delivery costs went into promises (ADR 21).
 */
class NewMessage implements SlotWaiter, TimeoutListener, Completion<void> {
  readonly #context: EngineContext;
  readonly #partition: DeliveryPartition;
  readonly #delivery: Delivery;
  readonly #queue: ReceiverQueue;
  readonly #destination: Endpoint;
  readonly #caller: Completion<void>;
  #answerWait: Disposable | null = null;
  /** When its attempt began, in milliseconds of the monotonic clock. */
  #triedMs = 0;
  /** Set once the message is late: it gets the result of the attempt that goes on. */
  #detached: PromiseWithResolvers<AttemptResult> | null = null;
  #hasLeft = false;

  constructor(context: EngineContext, partition: DeliveryPartition, delivery: Delivery, caller: Completion<void>) {
    this.#context = context;
    this.#partition = partition;
    this.#delivery = delivery;
    this.#caller = caller;
    this.#queue = getQueue(context, partition, delivery.receiverId);
    this.#destination = context.endpoints.forOperation(delivery.receiverId, delivery.operation);
  }

  start(): void {
    this.#queue.newInFlight += 1;
    try {
      this.#arrive();
    } catch (error) {
      this.reject(error);
    }
  }

  #arrive(): void {
    const context = this.#context;
    const partition = this.#partition;
    const delivery = this.#delivery;
    const { slots } = this.#destination;
    const nowMs = context.time.monotonicMs();
    partition.recentReceivers.record(delivery.receiverId, nowMs);
    if (isExpired(context, delivery))
      return this.#finishWith(expireDelivery(context, partition, delivery, initialProgress(partition, delivery), false));
    const reason = this.#spillReason(nowMs);
    if (reason !== null) return this.#park(reason);
    const slot = slots.takeFree("first");
    if (slot === null) slots.wait("first", context.bounds.slotWaitMaxMs, partition.lease, this, nowMs);
    else this.onSlot(slot);
  }

  /** #1, #2 */
  #spillReason(nowMs: number): ParkReason | null {
    const { receiverId, deliveryKey } = this.#delivery;
    const why = this.#blockReason();
    if (why !== null) return why;
    // An attempt may still run on a message that left the page because its day has closed.
    if (this.#queue.page.containsKey(deliveryKey) || this.#partition.locks.isLocked(receiverId, deliveryKey)) return "held";
    if (this.#queue.isSpilling) return "spilling";
    const { bounds } = this.#context;
    const { slots, expectedWaitMs } = this.#destination;
    const isSlow = this.#delaysOthers(nowMs)
      ? slots.isStuck || expectedWaitMs > bounds.slotWaitMaxMs
      : (slots.isStuck || expectedWaitMs > bounds.answerWaitMaxMs) && !slots.isKeepingUp;
    return isSlow && this.#queue.newInFlight > receiverShareMax(bounds) ? "share" : null;
  }

  /** `nowMs` is monotonic. */
  #delaysOthers(nowMs: number): boolean {
    return this.#partition.isFull && !this.#partition.recentReceivers.isOnly(this.#delivery.receiverId, nowMs);
  }

  #blockReason(): "over" | "handed-over" | "paused" | BlockReason | null {
    const context = this.#context;
    const partition = this.#partition;
    const delivery = this.#delivery;
    if (areAttemptsOver(context, partition, delivery) || isExpired(context, delivery)) return "over";
    if (!partition.attempts.mayTryNew(context.time.monotonicMs())) return "handed-over";
    return partition.pauses.isPaused(delivery.receiverId) ? "paused" : this.#destination.blockReason(attemptsEndMs(partition, delivery));
  }

  /** #2 */
  mayWaitLonger(): boolean {
    return !this.#partition.attempts.isHandedOver && !this.#delaysOthers(this.#context.time.monotonicMs());
  }

  /** `slot` is null where none became free in time. */
  onSlot(slot: Slot | null): void {
    try {
      if (slot !== null) return this.#partition.lease.isConfirmed ? this.#try(slot) : this.#tryOnceKnown(slot);
      this.#partition.lease.requireOpen();
      return this.#park("slot");
    } catch (error) {
      return this.reject(error);
    }
  }

  /** #3 */
  #tryOnceKnown(slot: Slot): void {
    this.#partition.lease
      .waitUntilConfirmed()
      .then(
        () => this.#try(slot),
        (closed: unknown) => {
          slot[Symbol.dispose]();
          throw closed;
        },
      )
      .catch((error: unknown) => this.reject(error));
  }

  #try(slot: Slot): void {
    // While it waited, its receiver may have been paused, its endpoint suspended, or its attempts may have ended.
    const why = this.#blockReason();
    if (why !== null) {
      slot[Symbol.dispose]();
      return this.#park(why);
    }
    const attempting = startAttempt(this.#context, this.#delivery, untried);
    this.#triedMs = attempting.startedMs;
    this.#answerWait = this.#context.answerTimeouts.start(this, attempting.startedMs);
    void attempting.answer.then((answer) => this.#answered(slot, attempting, answer));
  }

  #answered(slot: Slot, attempting: RunningAttempt, answer: ReceiverAnswer): void {
    this.#answerWait?.[Symbol.dispose]();
    try {
      const result = this.#evaluate(slot, attempting, answer);
      if (this.#detached !== null) this.#detached.resolve(result);
      else this.#settle(result);
    } catch (error) {
      if (this.#detached !== null) this.#detached.reject(error);
      else this.reject(error);
    }
  }

  /** A `using` declaration would cost twenty times as much as this `finally` (ADR 21). */
  #evaluate(slot: Slot, attempting: RunningAttempt, answer: ReceiverAnswer): AttemptResult {
    try {
      return evaluateAnswer(this.#context, this.#partition, this.#delivery, attempting, answer);
    } finally {
      slot[Symbol.dispose]();
    }
  }

  #settle(result: AttemptResult): void {
    this.#partition.lease.requireOpen();
    if (result.class === "acknowledged") {
      const end = { ...toAcknowledgedEnd(result), isReadAgain: true };
      startEnd(this.#context, this.#partition, this.#delivery, end, this);
    } else this.#finishWith(settleAttempt(this.#context, this.#partition, this.#delivery, result, false));
  }

  /** #4 */
  onTimeout(): void {
    if (!this.#partition.lease.isOpen) return this.reject(this.#partition.lease.closedFault());
    this.#detached = Promise.withResolvers<AttemptResult>();
    const { promise } = this.#detached;
    // The rejection is handled in `detach`, after the message is parked.
    promise.catch(() => {});
    this.#finishWith(detach(this.#context, this.#partition, this.#queue, this.#delivery, { result: promise, startedMs: this.#triedMs }));
  }

  #park(reason: ParkReason): void {
    this.#finishWith(parkUntried(this.#context, this.#partition, this.#delivery, reason, 0));
  }

  #finishWith(work: Promise<void>): void {
    work.then(
      () => this.resolve(),
      (error: unknown) => this.reject(error),
    );
  }

  resolve(): void {
    if (this.#leave()) this.#caller.resolve();
  }

  reject(error: unknown): void {
    if (this.#leave()) this.#caller.reject(error);
  }

  /** False where it has left already. */
  #leave(): boolean {
    if (this.#hasLeft) return false;
    this.#hasLeft = true;
    this.#queue.newInFlight -= 1;
    if (!isNothingParked(this.#queue)) drainReceiver(this.#context, this.#partition, this.#queue);
    return true;
  }
}

/** Tells whether the message is parked already, or is not tried any more. */
function isAlreadyHandled({ logger }: EngineContext, partition: DeliveryPartition, { id, uetr, receiverId }: Delivery): boolean {
  // The usual case, without a look-up.
  if (partition.parkedAhead.size === 0 && partition.givenUp.size === 0) return false;
  if (partition.parkedAhead.delete(id)) return true;
  if (!partition.givenUp.has(id)) return false;
  logger.info("delivery.read-again", { id, uetr, receiver: receiverId, partition: partition.number });
  return true;
}

/** Tells whether nothing is parked, neither in memory nor in the store: the usual case. */
function isNothingParked({ page, isSpilling }: ReceiverQueue): boolean {
  return page.size === 0 && page.isComplete && !page.hasKeysToLookUp && !isSpilling;
}

/** The progress before this owner's first attempt; an earlier owner may have tried it. */
function initialProgress(partition: DeliveryPartition, delivery: Delivery): AttemptProgress {
  return { ...untried, mayHaveBeenTaken: mayBeRepeat(partition, delivery) };
}

async function parkUntried(
  context: EngineContext,
  partition: DeliveryPartition,
  delivery: Delivery,
  reason: ParkReason,
  waitMs: number,
): Promise<void> {
  const state = { progress: untried, nextAttemptAtMs: context.brokerClock.nowMs() + waitMs, ended: null };
  const parking = (): Promise<void> => park(context, partition, delivery, state, reason);
  return reason === "over" ? parkOver(context, partition, delivery, parking) : parking();
}

/** #4. Its retry is due only after the attempt must be over; should it come sooner, it waits for the lock. */
async function detach(
  context: EngineContext,
  partition: DeliveryPartition,
  queue: ReceiverQueue,
  delivery: Delivery,
  attempt: { readonly result: Promise<AttemptResult>; readonly startedMs: number },
): Promise<void> {
  const timeoutMs = context.receiver(delivery.receiverId)?.answerTimeoutMs ?? 0;
  const parking = parkUntried(context, partition, delivery, "slow", timeoutMs);
  const settling = partition.locks
    .run(lockKey(delivery.receiverId, delivery.deliveryKey), async () => {
      await parking;
      await settleAttempt(context, partition, delivery, await partition.lease.whileOpen(attempt.result), true);
    })
    .catch((error: unknown) => {
      if (isPartitionClosed(error)) return;
      context.logger.error("delivery.attempt-failed", {
        id: delivery.id,
        receiver: delivery.receiverId,
        partition: partition.number,
        error,
      });
    })
    .then(() => {
      partition.running.delete(settling);
      return drainReceiver(context, partition, queue);
    });
  partition.running.add(settling);
  partition.attempts.add({ startedMs: attempt.startedMs, isProbe: false, answered: attempt.result, settled: settling });
  await parking;
}
