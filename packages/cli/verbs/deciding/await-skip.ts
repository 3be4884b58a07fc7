// Waits until a partition has skipped the record or the batch that an operator asked it to skip.

import { Fault, sleep, type Time } from "@sluice/kernel";
import type { ControlClient } from "../../terminal/control-client.ts";
import { memberText } from "../../terminal/control-table.ts";

/** Longer than the longest time between two tries of a partition. */
const waitMaxMs = 30_000;
const againMs = 500;

/** Null: nobody waited for it. */
export function skipOutcome(hasPassed: boolean | null): string {
  if (hasPassed === null) return "skip requested";
  return hasPassed ? "the partition has skipped it" : "the partition has not skipped it within 30 s";
}

export async function awaitSkip(client: ControlClient, time: Time, letter: string): Promise<boolean> {
  const untilMs = time.monotonicMs() + waitMaxMs;
  for (;;) {
    try {
      const shown = await client.get(`/dead-letters/${encodeURIComponent(letter)}`);
      if (memberText(shown, "progress.hasPassed") === "true") return true;
    } catch (error) {
      if (!(error instanceof Fault) || !error.isRetryable) throw error;
    }
    if (time.monotonicMs() >= untilMs) return false;
    await sleep(time, againMs);
  }
}
