// Limits the attempts that run at once towards one endpoint, over all partitions: the bulkhead between receivers (I14).
//
// #1 At most `limit` attempts run; it is learnt (concurrency.ts) and never above `slotsMax`. At most half of them are
//    retries, so that failing messages cannot keep the others out. While the receiver spills in some partition, nothing
//    else is tried, and retries may take all. Messages that fail often have an eighth of the slots, and where there are
//    fewer than eight, one slot for an eighth of the time.
// #2 Waiters are served first come, first served; a waiter that may not go does not delay those behind it.
// #3 A waiter whose time is over may wait longer: up to a second while the receiver acknowledges, and without limit
//    while it keeps up, because then what waits is its ordinary backlog. A receiver counts as keeping up in its first
//    second, in which connections are made, and in the first second after this process stood still: nothing is known of
//    it then. Where the partition is full and another receiver used it lately, a waiter does not wait longer.

import type { Time } from "@sluice/kernel";
import { LinkedList, type ListLink } from "../linked-list.ts";

export type SlotUse = "first" | RetryUse;
/** `failing`: the retry of a message that has failed often. */
export type RetryUse = "retry" | "failing";

/** Disposed once, when the attempt is over. */
export type Slot = Disposable;

/** The part of a partition's lease that ends a wait for a slot. */
export interface PartitionCloseSignal {
  readonly isOpen: boolean;
  /** Calls `giveUp` at once when the partition closes, unless the returned link was forgotten before. */
  onClose(waiting: { giveUp(): void }): ListLink<{ giveUp(): void }>;
  forget(link: ListLink<{ giveUp(): void }>): void;
}

/** A caller that waits for a slot. */
export interface SlotWaiter {
  /** Tells whether a wait whose time is over may go on (#3). */
  mayWaitLonger(): boolean;
  /** Called once, with null if the wait took too long or the partition closed. Must not throw. */
  onSlot(slot: Slot | null): void;
}

/**
 * Acknowledgements a second. The store hardly takes in and gives out more, so a parked backlog would not leave sooner.
 */
const keepsUpPerSecond = 100;
const secondMs = 1_000;
/** One part in so many of the slots is for messages that fail often. */
const failingShare = 8;
const stuckAfterMs = 250;
/** A timer that fires this late shows that the process stood still and has not read its receivers' answers. */
const standstillMs = 100;

export class AttemptSlots {
  readonly #time: Time;
  readonly #slotsMax: number;
  readonly #waiters = new LinkedList<SlotRequest>();
  readonly #running: Record<SlotUse, number> = { first: 0, retry: 0, failing: 0 };
  #limit: number;
  #failingFreeAtMs = Number.NEGATIVE_INFINITY;
  #failingTimer: Disposable | null = null;
  #spillingPartitions = 0;
  #checkTimer: Disposable | null = null;
  /** Acknowledgements of the current second, and of the second before it. */
  #acknowledged = 0;
  #acknowledgedAtMs = Number.NEGATIVE_INFINITY;
  #acknowledgedBefore = 0;
  #secondFromMs = 0;
  /** When a slot was last taken or released, in milliseconds of the monotonic clock. */
  #changedMs = 0;
  #isStuck = false;
  #isServing = false;
  /** From when the receiver can be judged; null before its first attempt. */
  #judgeableFromMs: number | null = null;

  constructor(time: Time, slotsMax: number) {
    this.#time = time;
    this.#slotsMax = Math.max(1, slotsMax);
    this.#limit = this.#slotsMax;
  }

  get slotsMax(): number {
    return this.#slotsMax;
  }

  get limit(): number {
    return this.#limit;
  }

  get running(): number {
    return this.#running.first + this.#running.retry + this.#running.failing;
  }

  /** Sets the limit; attempts beyond a lower one go on. */
  setLimit(limit: number): void {
    this.#limit = Math.min(this.#slotsMax, Math.max(1, limit));
    this.#serve(this.#time.monotonicMs());
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /** Takes a slot that is free now; null where none is. */
  takeFree(use: SlotUse): Slot | null {
    return this.#isFree(use) ? this.#take(use, this.#time.monotonicMs()) : null;
  }

  /**
   * Waits for a slot; null after `waitMaxMs`, later while the receiver keeps up (#3), or when the partition closes.
   * Callers bound how many wait.
   */
  acquire(use: SlotUse, waitMaxMs: number, partition: PartitionCloseSignal): Promise<Slot | null> {
    const free = this.takeFree(use);
    if (free !== null || !partition.isOpen || waitMaxMs <= 0) return Promise.resolve(free);
    return new Promise((given) =>
      this.wait(use, waitMaxMs, partition, { mayWaitLonger: () => true, onSlot: given }, this.#time.monotonicMs()),
    );
  }

  /**
   * Waits as `acquire` does, without a promise, where none is free: nearly every message of a busy receiver waits.
   * `nowMs` is monotonic.
   */
  wait(use: SlotUse, waitMaxMs: number, partition: PartitionCloseSignal, waiter: SlotWaiter, nowMs: number): void {
    const waiting = new SlotRequest(use, waitMaxMs, waiter, nowMs);
    waiting.enqueue(this.#waiters, partition);
    if (waitMaxMs !== Number.POSITIVE_INFINITY) this.#scheduleCheck(waitMaxMs, nowMs);
  }

  /** `nowMs` is monotonic. */
  recordAcknowledgement(nowMs: number): void {
    this.#advanceSecond(nowMs);
    this.#acknowledged += 1;
    this.#acknowledgedAtMs = nowMs;
  }

  /** #3 */
  get isKeepingUp(): boolean {
    const nowMs = this.#time.monotonicMs();
    const passedMs = this.#advanceSecond(nowMs);
    if (this.#judgeableFromMs !== null && nowMs < this.#judgeableFromMs) return true;
    return this.#acknowledged + this.#acknowledgedBefore * (1 - passedMs / secondMs) >= keepsUpPerSecond;
  }

  /** True where every slot is taken and none was taken or released for `stuckAfterMs`: the receiver hangs. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** Schedules the check of waiting times; one timer serves all waiters. */
  #scheduleCheck(waitMs: number, fromMs: number): void {
    if (this.#checkTimer !== null) return;
    const dueMs = fromMs + waitMs;
    this.#checkTimer = this.#time.after(Math.ceil(waitMs), () => {
      this.#checkTimer = null;
      const nowMs = this.#time.monotonicMs();
      if (nowMs - dueMs > standstillMs) this.#judgeableFromMs = nowMs + secondMs;
      const isBacklog = this.isKeepingUp;
      this.#isStuck = !isBacklog && this.running >= this.#limit && nowMs - this.#changedMs >= stuckAfterMs;
      let nextMs = Number.POSITIVE_INFINITY;
      for (const waiting of this.#waiters.all()) {
        const { fromMs, waitMaxMs } = waiting;
        const waitedMs = nowMs - fromMs;
        const isWorthIt = isBacklog || (waitedMs < secondMs && nowMs - this.#acknowledgedAtMs <= waitMaxMs);
        if (waitedMs < waitMaxMs) nextMs = Math.min(nextMs, waitMaxMs - waitedMs);
        else if (isWorthIt && waiting.waiter.mayWaitLonger()) nextMs = Math.min(nextMs, waitMaxMs);
        else waiting.settle(null);
      }
      if (nextMs !== Number.POSITIVE_INFINITY) this.#scheduleCheck(nextMs, this.#time.monotonicMs());
    });
  }

  /** Moves on to the current second, and returns the milliseconds that have passed in it. */
  #advanceSecond(nowMs: number): number {
    const passedMs = nowMs - this.#secondFromMs;
    if (passedMs < secondMs) return passedMs;
    this.#acknowledgedBefore = passedMs < 2 * secondMs ? this.#acknowledged : 0;
    this.#acknowledged = 0;
    this.#secondFromMs = nowMs;
    return 0;
  }

  /** Cancels its timers. */
  stop(): void {
    this.#failingTimer?.[Symbol.dispose]();
    this.#failingTimer = null;
  }

  /** Counts the partitions in which the receiver spills: +1 when it starts in one, −1 when it ends. */
  changeSpilling(change: 1 | -1): void {
    this.#spillingPartitions += change;
    this.#serve(this.#time.monotonicMs());
  }

  #isFree(use: SlotUse): boolean {
    if (this.running >= this.#limit) return false;
    if (use === "first") return true;
    if (this.#running.retry + this.#running.failing >= this.#retriesMax) return false;
    return use === "retry" || (this.#running.failing < this.maxFor("failing") && this.#time.monotonicMs() >= this.#failingFreeAtMs);
  }

  /** How many attempts of a retry's use may run at once. */
  maxFor(use: RetryUse): number {
    return use === "retry" ? this.#limit : Math.max(1, Math.floor(this.#limit / failingShare));
  }

  /** #1. With few slots, the one for failing messages rests between two attempts. */
  #restFailing(tookMs: number, nowMs: number): void {
    const restMs = Math.ceil(tookMs * (failingShare / this.#limit - 1));
    if (restMs <= 0) return;
    this.#failingFreeAtMs = nowMs + restMs;
    this.#failingTimer?.[Symbol.dispose]();
    this.#failingTimer = this.#time.after(restMs, () => {
      this.#failingTimer = null;
      this.#serve(this.#time.monotonicMs());
    });
  }

  get #retriesMax(): number {
    return this.#spillingPartitions > 0 ? this.#limit : Math.ceil(this.#limit / 2);
  }

  #take(use: SlotUse, nowMs: number): Slot {
    this.#changedMs = nowMs;
    this.#judgeableFromMs ??= nowMs + secondMs;
    this.#running[use] += 1;
    return new TakenSlot(this, use, nowMs);
  }

  /** Called by a slot when it is disposed. */
  giveBack(use: SlotUse, takenAtMs: number): void {
    this.#isStuck = false;
    const nowMs = this.#time.monotonicMs();
    if (use === "failing") this.#restFailing(nowMs - takenAtMs, nowMs);
    this.#changedMs = nowMs;
    this.#running[use] -= 1;
    this.#serve(nowMs);
  }

  /**
   * Looks for the first waiter again after each one: a waiter may release its slot at once, and a closing partition
   * removes its waiters.
   */
  #serve(nowMs: number): void {
    if (this.#isServing) return;
    this.#isServing = true;
    for (let next = this.#nextServed(); next !== null; next = this.#nextServed()) next.settle(this.#take(next.use, nowMs));
    this.#isServing = false;
  }

  /** #2 */
  #nextServed(): SlotRequest | null {
    if (this.running >= this.#limit) return null;
    let link = this.#waiters.first;
    while (link !== null && !this.#isFree(link.value.use)) link = link.next;
    return link?.value ?? null;
  }
}

class TakenSlot implements Slot {
  readonly #slots: AttemptSlots;
  readonly #use: SlotUse;
  readonly #takenAtMs: number;
  #isOver = false;

  constructor(slots: AttemptSlots, use: SlotUse, takenAtMs: number) {
    this.#slots = slots;
    this.#use = use;
    this.#takenAtMs = takenAtMs;
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#slots.giveBack(this.#use, this.#takenAtMs);
  }
}

/** A waiter with its place in the queue. */
class SlotRequest {
  readonly use: SlotUse;
  readonly waitMaxMs: number;
  readonly waiter: SlotWaiter;
  /** Milliseconds of the monotonic clock. */
  readonly fromMs: number;
  #entry: QueueEntry | null = null;

  constructor(use: SlotUse, waitMaxMs: number, waiter: SlotWaiter, fromMs: number) {
    this.use = use;
    this.waitMaxMs = waitMaxMs;
    this.waiter = waiter;
    this.fromMs = fromMs;
  }

  /** Enters the queue until it is settled. */
  enqueue(all: LinkedList<SlotRequest>, partition: PartitionCloseSignal): void {
    this.#entry = { all, place: all.add(this), partition, closeLink: partition.onClose(this) };
  }

  settle(slot: Slot | null): void {
    if (this.#entry === null) return;
    const { all, place, partition, closeLink } = this.#entry;
    this.#entry = null;
    all.remove(place);
    partition.forget(closeLink);
    this.waiter.onSlot(slot);
  }

  giveUp(): void {
    this.settle(null);
  }
}

interface QueueEntry {
  readonly all: LinkedList<SlotRequest>;
  readonly place: ListLink<SlotRequest>;
  readonly partition: PartitionCloseSignal;
  readonly closeLink: ListLink<{ giveUp(): void }>;
}
