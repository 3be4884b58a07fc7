// The back-off of a partition before it tries the same work again: doubled, jittered and bounded.

import type { Random } from "@sluice/kernel";

const retryDelayMinMs = 100;
const retryDelayMaxMs = 10_000;

/** Returns between half and the whole of the doubled delay. `attempt` counts the failed attempts, from 1. */
export function retryDelayMs(attempt: number, random: Random): number {
  const doublings = Math.min(attempt - 1, 20);
  const delayMs = Math.min(retryDelayMaxMs, retryDelayMinMs * 2 ** doublings);
  return delayMs * (0.5 + random.fraction() / 2);
}
