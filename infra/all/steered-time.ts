// A clock that runs as the machine's does, and that can be moved ahead. All services of the mode `all` run on it.
//
// #1 While it moves ahead, timers fire one by one in order of due time, and what follows from one settles before the
//    next fires. So a service sees an hour that passes, and never an hour that is missing.
// #2 It does not move while somebody outside works: a bank that answers, or a caller that waits. It goes on once that
//    has been quiet for `quietMs` of the machine's time, so that a bank which reports at once is not too late.
// #3 A move that finds no quiet moment for `quietWaitMaxMs` ends, and says how far it came.

import { setImmediate as macrotask } from "node:timers/promises";
import { type ArmedTimer, Fault, sleep, type Time, TimerHeap } from "@sluice/kernel";

export interface SteeredTime extends Time {
  /** Does work of somebody outside (#2). */
  outside<T>(work: () => Promise<T>): Promise<T>;
  /** Moves the clock ahead by `ms`. Moves are done one after another. Rejects with Fault `all.never-quiet` (#3). */
  advance(ms: number): Promise<void>;
}

export interface SteeredTimeOptions {
  readonly machine: Time;
  /** What the wall clock shows at the start, in epoch milliseconds. */
  readonly startAtMs: number;
  readonly quietMs?: number;
  readonly quietWaitMaxMs?: number;
}

/** Milliseconds of the machine's time. */
const quietMsDefault = 50;
const quietWaitMaxMsDefault = 60_000;

export function createSteeredTime(options: SteeredTimeOptions): SteeredTime {
  return new MovableClock(options);
}

class MovableClock implements SteeredTime {
  readonly #machine: Time;
  readonly #startAtMs: number;
  readonly #startedMs: number;
  readonly #quietMs: number;
  readonly #quietWaitMaxMs: number;
  readonly #timers = new TimerHeap();
  #aheadMs = 0;
  #sequence = 0;
  #alarm: { readonly dueMs: number; readonly timer: Disposable } | null = null;
  #outsideCount = 0;
  #quietSinceMs = Number.NEGATIVE_INFINITY;
  #isMoving = false;
  #moved: Promise<void> = Promise.resolve();

  constructor({ machine, startAtMs, quietMs = quietMsDefault, quietWaitMaxMs = quietWaitMaxMsDefault }: SteeredTimeOptions) {
    this.#machine = machine;
    this.#startAtMs = startAtMs;
    this.#startedMs = machine.monotonicMs();
    this.#quietMs = quietMs;
    this.#quietWaitMaxMs = quietWaitMaxMs;
  }

  nowMs(): number {
    return Math.floor(this.#startAtMs + this.monotonicMs());
  }

  monotonicMs(): number {
    return this.#machine.monotonicMs() - this.#startedMs + this.#aheadMs;
  }

  after(delayMs: number, action: () => void): Disposable {
    this.#sequence += 1;
    const dueMs = this.monotonicMs() + Math.max(0, delayMs);
    const timer: ArmedTimer = { dueMs, draw: 0, sequence: this.#sequence, action, isCancelled: false };
    this.#timers.push(timer);
    // A move fires it without the machine's help.
    if (!this.#isMoving) this.#arm();
    return { [Symbol.dispose]: () => this.#timers.cancel(timer) };
  }

  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.#outsideCount += 1;
    try {
      return await work();
    } finally {
      this.#outsideCount -= 1;
      this.#quietSinceMs = this.#machine.monotonicMs();
    }
  }

  advance(ms: number): Promise<void> {
    const move = (): Promise<void> => this.#moveAlone(ms);
    this.#moved = this.#moved.then(move, move);
    return this.#moved;
  }

  async #moveAlone(ms: number): Promise<void> {
    this.#isMoving = true;
    try {
      await this.#move(ms);
    } finally {
      this.#isMoving = false;
      this.#arm();
    }
  }

  /** #1 */
  async #move(ms: number): Promise<void> {
    const untilMs = this.monotonicMs() + ms;
    for (;;) {
      await settle();
      await this.#becomeQuiet();
      const next = this.#timers.peek();
      const isFiring = next !== undefined && next.dueMs <= untilMs;
      this.#aheadMs += Math.max(0, (isFiring ? next.dueMs : untilMs) - this.monotonicMs());
      if (!isFiring) return;
      this.#fire(next);
    }
  }

  /** #2, #3 */
  async #becomeQuiet(): Promise<void> {
    const sinceMs = this.#machine.monotonicMs();
    for (;;) {
      const nowMs = this.#machine.monotonicMs();
      const leftMs = this.#outsideCount > 0 ? this.#quietMs : this.#quietSinceMs + this.#quietMs - nowMs;
      if (leftMs <= 0) return;
      if (nowMs - sinceMs > this.#quietWaitMaxMs) throw this.#neverQuiet();
      // Meanwhile the clock runs as the machine's does.
      this.#arm();
      await sleep(this.#machine, leftMs);
    }
  }

  #neverQuiet(): Fault {
    const shown = new Date(this.nowMs()).toISOString();
    const text = `somebody outside worked for ${this.#quietWaitMaxMs} ms without a pause; the clock shows ${shown}`;
    return new Fault("all.never-quiet", text, { isRetryable: true });
  }

  /** Has the machine wake us for the next timer. */
  #arm(): void {
    const next = this.#timers.peek();
    if (this.#alarm !== null && this.#alarm.dueMs !== next?.dueMs) {
      this.#alarm.timer[Symbol.dispose]();
      this.#alarm = null;
    }
    if (next === undefined || this.#alarm !== null) return;
    const delayMs = Math.max(0, next.dueMs - this.monotonicMs());
    this.#alarm = { dueMs: next.dueMs, timer: this.#machine.after(delayMs, () => this.#ring()) };
  }

  #ring(): void {
    this.#alarm = null;
    try {
      for (let next = this.#timers.peek(); next !== undefined && next.dueMs <= this.monotonicMs(); next = this.#timers.peek()) {
        this.#fire(next);
      }
    } finally {
      this.#arm();
    }
  }

  #fire(timer: ArmedTimer): void {
    this.#timers.pop();
    timer.action();
  }
}

/** Lets everything settle that follows from a timer. */
async function settle(): Promise<void> {
  await macrotask();
  await macrotask();
}
