// What is parked for a receiver, counted: how many wait and since when, how many were refused.

import type { ParkedTotals } from "@sluice/store";
import { secondsUntil, timeText } from "./control-values.ts";

export function parkedTotalsView(totals: ParkedTotals | undefined, nowMs: number | null) {
  if (totals === undefined) return { waiting: 0, refused: 0, ...ageView(null, nowMs), nextAttempt: null, firstDeadline: null };
  const { count, refused, waitingSinceMs, nextAttemptAtMs, deadlineMs } = totals;
  return {
    waiting: count - refused,
    refused,
    ...ageView(waitingSinceMs, nowMs),
    nextAttempt: timeText(nextAttemptAtMs),
    firstDeadline: timeText(deadlineMs),
  };
}

/** Of the oldest that is still tried: from its first attempt on, or from when it was parked. */
export function ageView(sinceMs: number | null, nowMs: number | null) {
  const seconds = secondsUntil(nowMs, sinceMs);
  return { oldestSince: timeText(sinceMs), oldestAgeSeconds: seconds === null ? null : Math.max(0, seconds) };
}
