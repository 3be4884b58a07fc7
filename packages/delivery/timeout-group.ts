// Timeouts of one length share one timer of the clock, and none where no timeout runs. Most of them are cancelled
// before they expire; a cancelled one leaves nothing behind.

import { assert, type Time } from "@sluice/kernel";
import { LinkedList, type ListLink } from "./linked-list.ts";

/** Is called when its timeout expires. */
export interface TimeoutListener {
  onTimeout(): void;
}

export class TimeoutGroup {
  readonly #time: Time;
  readonly #delayMs: number;
  /** In the order in which they began, which is the order in which they expire. */
  readonly #waits = new LinkedList<Wait>();
  #timer: Disposable | null = null;

  constructor(time: Time, delayMs: number) {
    this.#time = time;
    this.#delayMs = delayMs;
  }

  /** Calls `waiter` once at the timeout. Disposing cancels it; a later disposal does nothing. `nowMs` is monotonic. */
  start(waiter: TimeoutListener, nowMs: number = this.#time.monotonicMs()): Disposable {
    const wait = new Wait(this, nowMs + this.#delayMs, waiter);
    wait.link = this.#waits.add(wait);
    this.#timer ??= this.#time.after(this.#delayMs, this.#look);
    return wait;
  }

  /** Removes a timeout that has neither expired nor been cancelled. */
  cancel({ link }: Wait): void {
    if (link !== null) this.#waits.remove(link);
    if (this.#waits.size > 0) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
  }

  readonly #look = (): void => {
    this.#timer = null;
    const nowMs = this.#time.monotonicMs();
    let first = this.#waits.first;
    while (first !== null && first.value.dueMs <= nowMs) {
      first.value.over();
      first = this.#waits.first;
    }
    // The timer belonged to a timeout that was cancelled meanwhile.
    if (first !== null) this.#timer ??= this.#time.after(Math.ceil(first.value.dueMs - nowMs), this.#look);
  };
}

class Wait implements Disposable {
  readonly dueMs: number;
  /** Its place in the group's list. */
  link: ListLink<Wait> | null = null;
  readonly #waits: TimeoutGroup;
  /** Null once it has expired or was cancelled. */
  #waiter: TimeoutListener | null;

  constructor(waits: TimeoutGroup, dueMs: number, waiter: TimeoutListener) {
    this.#waits = waits;
    this.dueMs = dueMs;
    this.#waiter = waiter;
  }

  over(): void {
    const waiter = this.#waiter;
    assert(waiter !== null, "a timeout that expires was not cancelled");
    this[Symbol.dispose]();
    waiter.onTimeout();
  }

  [Symbol.dispose](): void {
    if (this.#waiter === null) return;
    this.#waiter = null;
    this.#waits.cancel(this);
  }
}

/** Timeouts of a few different lengths. */
export class TimeoutGroups {
  readonly #time: Time;
  readonly #byDelayMs = new Map<number, TimeoutGroup>();

  constructor(time: Time) {
    this.#time = time;
  }

  withDelay(delayMs: number): TimeoutGroup {
    const known = this.#byDelayMs.get(delayMs) ?? new TimeoutGroup(this.#time, delayMs);
    this.#byDelayMs.set(delayMs, known);
    return known;
  }
}
