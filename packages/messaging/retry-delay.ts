// How long a lane waits before it tries the same work again: doubling, jittered, bounded.

import type { Random } from "@sluice/runtime";

export const retryDelayMinMs = 100;
export const retryDelayMaxMs = 10_000;

/** `attempt` counts the tries that failed, from 1. Between a half and the whole of the doubled delay. */
export function retryDelayMs(attempt: number, random: Random): number {
  const doublings = Math.min(attempt - 1, 20);
  const delayMs = Math.min(retryDelayMaxMs, retryDelayMinMs * 2 ** doublings);
  return delayMs * (0.5 + random.fraction() / 2);
}
