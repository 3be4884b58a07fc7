// What the log's own time says about this process's clock. `receivedAt` is stamped by this clock, and dates are judged by it, so a
// process whose clock is off must not take messages.
//
// #1 The log's time of now is the newest append time seen plus the monotonic time since; it is known up to the time that append took.
// #2 The skew is how far the clock lies outside that span.

import type { Time } from "@sluice/runtime";

export interface BrokerClock {
  /** An append was sent and acknowledged at these monotonic times, and the log gave it this time. */
  saw(appendedAtMs: number, sentMonotonicMs: number, acknowledgedMonotonicMs: number): void;
  /** Milliseconds by which the clock is off now; null before the first append seen. */
  skewMs(): number | null;
  /** Milliseconds since the newest append seen was acknowledged; Infinity before the first. */
  ageMs(): number;
}

export function createBrokerClock(time: Time): BrokerClock {
  let seen: { readonly appendedAtMs: number; readonly sentMs: number; readonly acknowledgedMs: number } | null = null;
  return {
    saw(appendedAtMs, sentMs, acknowledgedMs) {
      if (seen === null || acknowledgedMs >= seen.acknowledgedMs) seen = { appendedAtMs, sentMs, acknowledgedMs };
    },
    skewMs() {
      if (seen === null) return null;
      const earliestMs = seen.appendedAtMs + time.monotonicMs() - seen.acknowledgedMs;
      const latestMs = seen.appendedAtMs + time.monotonicMs() - seen.sentMs;
      const nowMs = time.nowMs();
      return Math.max(earliestMs - nowMs, nowMs - latestMs, 0);
    },
    ageMs: () => (seen === null ? Infinity : time.monotonicMs() - seen.acknowledgedMs),
  };
}
