// Many waits of one length, most of which are given up before they are over: one timer of the clock for all of them, and none while there is no
// wait. A wait that is given up leaves nothing behind.

import { assert, type Time } from "@sluice/runtime";

export class EqualWaits {
  readonly #time: Time;
  readonly #delayMs: number;
  /** They end in the order in which they began. */
  #first: Wait | null = null;
  #last: Wait | null = null;
  #timer: Disposable | null = null;

  constructor(time: Time, delayMs: number) {
    this.#time = time;
    this.#delayMs = delayMs;
  }

  /** Runs `action` once when the wait is over. Disposing cancels it; disposing late does nothing. */
  begin(action: () => void): Disposable {
    const wait = new Wait(this, this.#time.monotonicMs() + this.#delayMs, action, this.#last);
    if (this.#last === null) this.#first = wait;
    else this.#last.next = wait;
    this.#last = wait;
    this.#timer ??= this.#time.after(this.#delayMs, this.#look);
    return wait;
  }

  /** Of a wait that is neither over nor given up. */
  end(wait: Wait): void {
    if (wait.before === null) this.#first = wait.next;
    else wait.before.next = wait.next;
    if (wait.next === null) this.#last = wait.before;
    else wait.next.before = wait.before;
    if (this.#first !== null) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
  }

  readonly #look = (): void => {
    this.#timer = null;
    const nowMs = this.#time.monotonicMs();
    while (this.#first !== null && this.#first.dueMs <= nowMs) this.#first.over();
    // The clock's timer was that of a wait which was given up.
    if (this.#first !== null) this.#timer ??= this.#time.after(Math.ceil(this.#first.dueMs - nowMs), this.#look);
  };
}

class Wait implements Disposable {
  readonly dueMs: number;
  before: Wait | null;
  next: Wait | null = null;
  readonly #waits: EqualWaits;
  /** Null: it is over, or given up. */
  #action: (() => void) | null;

  constructor(waits: EqualWaits, dueMs: number, action: () => void, before: Wait | null) {
    this.#waits = waits;
    this.dueMs = dueMs;
    this.#action = action;
    this.before = before;
  }

  over(): void {
    const action = this.#action;
    assert(action !== null, "a wait that is over was not given up");
    this[Symbol.dispose]();
    action();
  }

  [Symbol.dispose](): void {
    if (this.#action === null) return;
    this.#action = null;
    this.#waits.end(this);
  }
}

/** Waits of a few lengths. */
export class WaitsByLength {
  readonly #time: Time;
  readonly #byDelayMs = new Map<number, EqualWaits>();

  constructor(time: Time) {
    this.#time = time;
  }

  of(delayMs: number): EqualWaits {
    const known = this.#byDelayMs.get(delayMs) ?? new EqualWaits(this.#time, delayMs);
    this.#byDelayMs.set(delayMs, known);
    return known;
  }
}
