// One timer for many that wait equally long, such as all partitions of a process: they are called together, so that
// what they do then can share a request (gathered-calls.ts). One that begins to wait later waits less than `delayMs`.

import type { Time } from "./time.ts";

export class SharedTimer {
  readonly #time: Time;
  readonly #delayMs: number;
  readonly #waiting = new Set<() => void>();
  #timer: Disposable | null = null;

  constructor(time: Time, delayMs: number) {
    this.#time = time;
    this.#delayMs = delayMs;
  }

  /** Calls `action` once with all others that wait, after at most `delayMs`. Disposing cancels it. */
  wait(action: () => void): Disposable {
    // A function of its own, because one action may wait twice.
    const waiting = (): void => action();
    this.#waiting.add(waiting);
    this.#timer ??= this.#time.after(this.#delayMs, () => this.fire());
    return { [Symbol.dispose]: () => this.#forget(waiting) };
  }

  /** Calls at once all that wait. */
  fire(): void {
    this.#stop();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const action of waiting) action();
  }

  #forget(waiting: () => void): void {
    this.#waiting.delete(waiting);
    if (this.#waiting.size === 0) this.#stop();
  }

  #stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
  }
}
