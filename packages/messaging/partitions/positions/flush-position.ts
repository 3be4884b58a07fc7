// Writes a position before its partition is handed over: what it does not cover, the next owner does once more.
//
// #1 A write that fails is repeated, but not for longer than `flushMaxMs`: the other members wait meanwhile, and a
//    process that stops has ten seconds in all, of which its work may take eight.

import { sleep, type Time } from "@sluice/kernel";

const flushMaxMs = 1_500;
const retryPauseMs = 100;

export interface FlushedPosition {
  /** True also where this owner may not write any more. */
  isWritten(): boolean;
  /** Resolves when one write has ended, with or without success. */
  write(): Promise<void>;
}

/** Resolves when the position is written or given up (#1). Rejects as `write` does. */
export async function flushPosition(position: FlushedPosition, time: Time): Promise<void> {
  const untilMs = time.monotonicMs() + flushMaxMs;
  while (!position.isWritten()) {
    await position.write();
    if (position.isWritten() || time.monotonicMs() + retryPauseMs > untilMs) return;
    await sleep(time, retryPauseMs);
  }
}
