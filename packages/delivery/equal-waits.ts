// Many waits of one length, most of which are given up before they are over: one timer of the clock for all of them, and none while there is no
// wait. A wait that is given up leaves nothing behind.

import { assert, type Time } from "@sluice/runtime";
import { LinkedList, type Link } from "./linked-list.ts";

/** Who is told that a wait is over. */
export interface Late {
  late(): void;
}

export class EqualWaits {
  readonly #time: Time;
  readonly #delayMs: number;
  /** They end in the order in which they began. */
  readonly #waits = new LinkedList<Wait>();
  #timer: Disposable | null = null;

  constructor(time: Time, delayMs: number) {
    this.#time = time;
    this.#delayMs = delayMs;
  }

  /** Calls `waiter` once when the wait is over. Disposing cancels it; disposing late does nothing. `nowMs`: monotonic. */
  begin(waiter: Late, nowMs: number = this.#time.monotonicMs()): Disposable {
    const wait = new Wait(this, nowMs + this.#delayMs, waiter);
    wait.link = this.#waits.add(wait);
    this.#timer ??= this.#time.after(this.#delayMs, this.#look);
    return wait;
  }

  /** Of a wait that is neither over nor given up. */
  end({ link }: Wait): void {
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
    // The clock's timer was that of a wait which was given up.
    if (first !== null) this.#timer ??= this.#time.after(Math.ceil(first.value.dueMs - nowMs), this.#look);
  };
}

class Wait implements Disposable {
  readonly dueMs: number;
  /** In its list. */
  link: Link<Wait> | null = null;
  readonly #waits: EqualWaits;
  /** Null: it is over, or given up. */
  #waiter: Late | null;

  constructor(waits: EqualWaits, dueMs: number, waiter: Late) {
    this.#waits = waits;
    this.dueMs = dueMs;
    this.#waiter = waiter;
  }

  over(): void {
    const waiter = this.#waiter;
    assert(waiter !== null, "a wait that is over was not given up");
    this[Symbol.dispose]();
    waiter.late();
  }

  [Symbol.dispose](): void {
    if (this.#waiter === null) return;
    this.#waiter = null;
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
