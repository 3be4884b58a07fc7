// How many attempts run towards an address of a bank at once, over all lanes: the bulkhead between banks (I14).
//
// #1 At most `limit` run, which is learnt (concurrency.ts) and never above `slotsMax`; of these at most half are retries, so that messages which fail cannot keep the others
//    out, unless the bank is spilling in some lane: then nothing else is tried, and retries may take all.
// #2 Who waits is served first come, first served; one that may not go does not hold up those behind it.

import type { Time } from "@sluice/runtime";

export type SlotUse = "first" | "retry";

/** Disposed once, when the attempt is over. */
export type Slot = Disposable;

/** Who waits in vain goes on waiting as long as that is worth it, at most so long in all. */
export interface Patience {
  readonly waitMaxMs: number;
  isWorthIt(): boolean;
}

interface Waiter {
  readonly use: SlotUse;
  grant(slot: Slot): void;
}

export class BankSlots {
  readonly #time: Time;
  readonly #slotsMax: number;
  readonly #waiters = new Set<Waiter>();
  readonly #running: Record<SlotUse, number> = { first: 0, retry: 0 };
  #limit: number;
  #spillingLanes = 0;

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
    this.#serve();
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /** A slot, or null after `waitMaxMs` (and with patience later), or when `signal` aborts. The caller bounds how many wait. */
  acquire(use: SlotUse, waitMaxMs: number, signal: AbortSignal, patience: Patience | null = null): Promise<Slot | null> {
    if (this.#isFree(use)) return Promise.resolve(this.#take(use));
    if (signal.aborted || waitMaxMs <= 0) return Promise.resolve(null);
    return new Promise((resolve) => {
      const waiter: Waiter = { use, grant: settle };
      const time = this.#time;
      let waitedMs = waitMaxMs;
      let timer = waitMaxMs === Number.POSITIVE_INFINITY ? null : time.after(waitMaxMs, inVain);
      function inVain(): void {
        if (patience === null || waitedMs >= patience.waitMaxMs || !patience.isWorthIt()) return settle(null);
        const moreMs = Math.min(waitMaxMs, patience.waitMaxMs - waitedMs);
        waitedMs += moreMs;
        timer = time.after(moreMs, inVain);
      }
      const waiters = this.#waiters;
      function settle(slot: Slot | null): void {
        timer?.[Symbol.dispose]();
        signal.removeEventListener("abort", giveUp);
        waiters.delete(waiter);
        resolve(slot);
      }
      function giveUp(): void {
        settle(null);
      }
      signal.addEventListener("abort", giveUp, { once: true });
      waiters.add(waiter);
    });
  }

  /** A lane says that the bank started (+1) or ended (−1) spilling in it. */
  spilling(change: 1 | -1): void {
    this.#spillingLanes += change;
    this.#serve();
  }

  #isFree(use: SlotUse): boolean {
    if (this.running >= this.#limit) return false;
    return use === "first" || this.#running.retry < this.#retriesMax;
  }

  get #retriesMax(): number {
    return this.#spillingLanes > 0 ? this.#limit : Math.ceil(this.#limit / 2);
  }

  #take(use: SlotUse): Slot {
    this.#running[use] += 1;
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        this.#running[use] -= 1;
        this.#serve();
      },
    };
  }

  #serve(): void {
    for (const waiter of this.#waiters) {
      if (this.running >= this.#limit) return;
      if (this.#isFree(waiter.use)) waiter.grant(this.#take(waiter.use));
    }
  }
}
