// Compares the clock of this process with the times that the broker stamps on records. This clock stamps `receivedAt`,
// and dates follow from it, so a process whose clock is off must not accept messages.
//
// #1 The broker's time of now is the newest append time plus the monotonic time since then. It is known up to the time
//    that the append took.
// #2 The skew is how far this process's clock is outside that span.

import type { Time } from "@sluice/kernel";

export interface AppendClock {
  /** Records an append: its broker time, and the monotonic times at which it was sent and acknowledged. */
  sample(appendedAtMs: number, sentMonotonicMs: number, acknowledgedMonotonicMs: number): void;
  /** Milliseconds by which the clock is off now; null before the first append. */
  skewMs(): number | null;
  /** Milliseconds since the newest append was acknowledged; Infinity before the first. */
  ageMs(): number;
}

export function createAppendClock(time: Time): AppendClock {
  let newest: { readonly appendedAtMs: number; readonly sentMs: number; readonly acknowledgedMs: number } | null = null;
  return {
    sample(appendedAtMs, sentMs, acknowledgedMs) {
      if (newest === null || acknowledgedMs >= newest.acknowledgedMs) newest = { appendedAtMs, sentMs, acknowledgedMs };
    },
    skewMs() {
      if (newest === null) return null;
      const earliestMs = newest.appendedAtMs + time.monotonicMs() - newest.acknowledgedMs;
      const latestMs = newest.appendedAtMs + time.monotonicMs() - newest.sentMs;
      const nowMs = time.nowMs();
      return Math.max(earliestMs - nowMs, nowMs - latestMs, 0);
    },
    ageMs: () => (newest === null ? Infinity : time.monotonicMs() - newest.acknowledgedMs),
  };
}
