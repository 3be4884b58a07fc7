// How many attempts run towards an address of a bank at once, over all lanes: the bulkhead between banks (I14).
//
// #1 At most `limit` run, which is learnt (concurrency.ts) and never above `slotsMax`; of these at most half are retries, so that messages which fail cannot keep the others
//    out, unless the bank is spilling in some lane: then nothing else is tried, and retries may take all.
// #2 Who waits is served first come, first served; one that may not go does not hold up those behind it.
// #3 Who has waited in vain goes on waiting, up to a second, while the bank acknowledges; and however long it takes while the bank keeps up: it
//    acknowledges so much that what waits is its backlog, not its trouble. So it does in the first second, in which connections are made, and in the
//    first one after this process stood still: nothing can be said of it then. Unless its caller has no patience: others wait behind.

import type { Time } from "@sluice/runtime";
import { LinkedList, type Link } from "./linked-list.ts";

export type SlotUse = "first" | "retry";

/** Disposed once, when the attempt is over. */
export type Slot = Disposable;

/** A lane, as far as a wait for a slot ends with it. */
export interface Closing {
  readonly isOpen: boolean;
  /** It is told at once when the lane closes, unless forgotten before: by the link answered. */
  onClose(waiting: { giveUp(): void }): Link<{ giveUp(): void }>;
  forget(link: Link<{ giveUp(): void }>): void;
}

/** Who waits for a slot. */
export interface SlotWaiter {
  /** Whether a wait in vain may go on (#3). */
  isPatient(): boolean;
  /** Called once; null: it was not worth the wait, or its lane closed. Must not throw. */
  given(slot: Slot | null): void;
}

/** Acknowledgements a second. The store takes in and gives out hardly more: a backlog that is parked would not leave sooner. */
const keepsUpPerSecond = 100;
const secondMs = 1_000;
const stuckAfterMs = 250;
/** A timer that is so late says that this process stood still, and has not heard what its banks said meanwhile. */
const standstillMs = 100;

export class BankSlots {
  readonly #time: Time;
  readonly #slotsMax: number;
  readonly #waiters = new LinkedList<Waiting>();
  readonly #running: Record<SlotUse, number> = { first: 0, retry: 0 };
  #limit: number;
  #spillingLanes = 0;
  #patienceTimer: Disposable | null = null;
  /** Acknowledgements of the second that began then, and of the one before. */
  #acknowledged = 0;
  #acknowledgedAtMs = Number.NEGATIVE_INFINITY;
  #acknowledgedBefore = 0;
  #secondFromMs = 0;
  /** When a slot was last taken or given back. */
  #movedMs = 0;
  #isStuck = false;
  #isServing = false;
  /** Since when what comes can be judged; null: nothing was tried yet. */
  #knownFromMs: number | null = null;

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
    return this.#running.first + this.#running.retry;
  }

  /** What runs beyond a lower one goes on. */
  restrict(limit: number): void {
    this.#limit = Math.min(this.#slotsMax, Math.max(1, limit));
    this.#serve(this.#time.monotonicMs());
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /** A slot that is free now; null: none is. */
  takeFree(use: SlotUse): Slot | null {
    return this.#isFree(use) ? this.#take(use, this.#time.monotonicMs()) : null;
  }

  /** A slot; or null after `waitMaxMs`, later while the bank keeps up (#3), or when the lane closes. The caller bounds how many wait. */
  acquire(use: SlotUse, waitMaxMs: number, lane: Closing): Promise<Slot | null> {
    const free = this.takeFree(use);
    if (free !== null || !lane.isOpen || waitMaxMs <= 0) return Promise.resolve(free);
    return new Promise((given) => this.wait(use, waitMaxMs, lane, { isPatient: () => true, given }, this.#time.monotonicMs()));
  }

  /** `acquire` where none is free and the lane is open, without a promise: nearly every message of a busy bank waits. `nowMs`: monotonic. */
  wait(use: SlotUse, waitMaxMs: number, lane: Closing, waiter: SlotWaiter, nowMs: number): void {
    const waiting = new Waiting(use, waitMaxMs, waiter, nowMs);
    waiting.stand(this.#waiters, lane);
    if (waitMaxMs !== Number.POSITIVE_INFINITY) this.#lookIn(waitMaxMs, nowMs);
  }

  /** `nowMs`: monotonic. */
  acknowledged(nowMs: number): void {
    this.#passTime(nowMs);
    this.#acknowledged += 1;
    this.#acknowledgedAtMs = nowMs;
  }

  /** #3 */
  get keepsUp(): boolean {
    const nowMs = this.#time.monotonicMs();
    const passedMs = this.#passTime(nowMs);
    if (this.#knownFromMs !== null && nowMs < this.#knownFromMs) return true;
    return this.#acknowledged + this.#acknowledgedBefore * (1 - passedMs / secondMs) >= keepsUpPerSecond;
  }

  /** Every slot is taken, and none was given back of late: the bank hangs. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** One timer for all that wait. */
  #lookIn(waitMs: number, fromMs: number): void {
    if (this.#patienceTimer !== null) return;
    const dueMs = fromMs + waitMs;
    this.#patienceTimer = this.#time.after(Math.ceil(waitMs), () => {
      this.#patienceTimer = null;
      const nowMs = this.#time.monotonicMs();
      if (nowMs - dueMs > standstillMs) this.#knownFromMs = nowMs + secondMs;
      const isBacklog = this.keepsUp;
      this.#isStuck = !isBacklog && this.running >= this.#limit && nowMs - this.#movedMs >= stuckAfterMs;
      let nextMs = Number.POSITIVE_INFINITY;
      for (const waiting of this.#waiters.all()) {
        const { fromMs, waitMaxMs } = waiting;
        const waitedMs = nowMs - fromMs;
        const isWorthIt = isBacklog || (waitedMs < secondMs && nowMs - this.#acknowledgedAtMs <= waitMaxMs);
        if (waitedMs < waitMaxMs) nextMs = Math.min(nextMs, waitMaxMs - waitedMs);
        else if (isWorthIt && waiting.waiter.isPatient()) nextMs = Math.min(nextMs, waitMaxMs);
        else waiting.settle(null);
      }
      if (nextMs !== Number.POSITIVE_INFINITY) this.#lookIn(nextMs, this.#time.monotonicMs());
    });
  }

  /** Milliseconds of the second. */
  #passTime(nowMs: number): number {
    const passedMs = nowMs - this.#secondFromMs;
    if (passedMs < secondMs) return passedMs;
    this.#acknowledgedBefore = passedMs < 2 * secondMs ? this.#acknowledged : 0;
    this.#acknowledged = 0;
    this.#secondFromMs = nowMs;
    return 0;
  }

  /** A lane says that the bank started (+1) or ended (−1) spilling in it. */
  spilling(change: 1 | -1): void {
    this.#spillingLanes += change;
    this.#serve(this.#time.monotonicMs());
  }

  #isFree(use: SlotUse): boolean {
    if (this.running >= this.#limit) return false;
    return use === "first" || this.#running.retry < this.#retriesMax;
  }

  get #retriesMax(): number {
    return this.#spillingLanes > 0 ? this.#limit : Math.ceil(this.#limit / 2);
  }

  #take(use: SlotUse, nowMs: number): Slot {
    this.#movedMs = nowMs;
    this.#knownFromMs ??= nowMs + secondMs;
    this.#running[use] += 1;
    return new TakenSlot(this, use);
  }

  /** By the slot. */
  giveBack(use: SlotUse): void {
    this.#isStuck = false;
    const nowMs = this.#time.monotonicMs();
    this.#movedMs = nowMs;
    this.#running[use] -= 1;
    this.#serve(nowMs);
  }

  /** Who is given a slot may give it back at once, and a lane that closes takes its waiters along: each time the first that may go is looked for. */
  #serve(nowMs: number): void {
    if (this.#isServing) return;
    this.#isServing = true;
    for (let next = this.#firstServed(); next !== null; next = this.#firstServed()) next.settle(this.#take(next.use, nowMs));
    this.#isServing = false;
  }

  /** #2 */
  #firstServed(): Waiting | null {
    if (this.running >= this.#limit) return null;
    let link = this.#waiters.first;
    while (link !== null && !this.#isFree(link.value.use)) link = link.next;
    return link?.value ?? null;
  }
}

class TakenSlot implements Slot {
  readonly #slots: BankSlots;
  readonly #use: SlotUse;
  #isOver = false;

  constructor(slots: BankSlots, use: SlotUse) {
    this.#slots = slots;
    this.#use = use;
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#slots.giveBack(this.#use);
  }
}

/** One who waits, and where. */
class Waiting {
  readonly use: SlotUse;
  readonly waitMaxMs: number;
  readonly waiter: SlotWaiter;
  /** Monotonic. */
  readonly fromMs: number;
  #standing: Standing | null = null;

  constructor(use: SlotUse, waitMaxMs: number, waiter: SlotWaiter, fromMs: number) {
    this.use = use;
    this.waitMaxMs = waitMaxMs;
    this.waiter = waiter;
    this.fromMs = fromMs;
  }

  /** From now on, until it is settled. */
  stand(all: LinkedList<Waiting>, lane: Closing): void {
    this.#standing = { all, place: all.add(this), lane, ofLane: lane.onClose(this) };
  }

  settle(slot: Slot | null): void {
    if (this.#standing === null) return;
    const { all, place, lane, ofLane } = this.#standing;
    this.#standing = null;
    all.remove(place);
    lane.forget(ofLane);
    this.waiter.given(slot);
  }

  giveUp(): void {
    this.settle(null);
  }
}

interface Standing {
  readonly all: LinkedList<Waiting>;
  readonly place: Link<Waiting>;
  readonly lane: Closing;
  readonly ofLane: Link<{ giveUp(): void }>;
}
