// Shows what is parked for a receiver: how many messages wait and since when, and how many were refused.

import type { ParkedTotals } from "@sluice/store";
import { wholeSecondsUntil, formatOptionalInstant } from "./control-values.ts";

export function parkedTotalsView(totals: ParkedTotals | undefined, nowMs: number | null) {
  if (totals === undefined) return { waiting: 0, refused: 0, ...ageView(null, nowMs), nextAttempt: null, firstDeadline: null };
  const { count, refused, waitingSinceMs, nextAttemptAtMs, deadlineMs } = totals;
  return {
    waiting: count - refused,
    refused,
    ...ageView(waitingSinceMs, nowMs),
    nextAttempt: formatOptionalInstant(nextAttemptAtMs),
    firstDeadline: formatOptionalInstant(deadlineMs),
  };
}

/** Age of the oldest message that is still tried, from its first attempt or from when it was parked. */
export function ageView(sinceMs: number | null, nowMs: number | null) {
  const seconds = wholeSecondsUntil(nowMs, sinceMs);
  return { oldestSince: formatOptionalInstant(sinceMs), oldestAgeSeconds: seconds === null ? null : Math.max(0, seconds) };
}
