// Time as an argument. Nothing else in the product reads a clock, sleeps or arms a timer, so that every service runs
// unchanged under a virtual clock.

export interface Time {
  /** The wall clock in epoch milliseconds. It may jump, and never decides about a fact. */
  nowMs(): number;
  /** Monotonic milliseconds since an arbitrary start; only differences have a meaning. */
  monotonicMs(): number;
  /** Runs `action` once after `delayMs` (0 or more). Disposing cancels it; disposing after the run does nothing. */
  after(delayMs: number, action: () => void): Disposable;
}

/** Resolves after `delayMs`, or at once when `signal` aborts. Never rejects. */
export function sleep(time: Time, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = time.after(delayMs, done);
    function done(): void {
      signal?.removeEventListener("abort", done);
      timer[Symbol.dispose]();
      resolve();
    }
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** The machine's own clock. */
export const machineTime: Time = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, action) {
    let timer = setTimeout(next, Math.min(Math.max(0, delayMs), timeoutMaxMs));
    let leftMs = delayMs - timeoutMaxMs;
    function next(): void {
      if (leftMs <= 0) return action();
      timer = setTimeout(next, Math.min(leftMs, timeoutMaxMs));
      leftMs -= timeoutMaxMs;
      return undefined;
    }
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/**
 * The longest delay of a platform timer. The platform turns longer ones into 1 ms, so that a wait of a month would
 * spin.
 */
const timeoutMaxMs = 2 ** 31 - 1;
