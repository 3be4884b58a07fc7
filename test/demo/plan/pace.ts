// Plans how fast a demo day goes: as short as possible, and long enough for everything that must happen in it.
//
// #1 All debits can be posted and held before the window opens.
// #2 With a kill the window lasts at least 15 s after it, because a consumer group needs up to 10 s to notice and to
//    assign partitions again.
// #3 A slow machine gets slower days. The time that provisioning took shows how slow it is.
// #4 The window outlasts the outage by the ten seconds until the next probe and by the time that the waiting debits
//    then need. An outage takes the same time on any machine.
// #5 The first pace is for a machine that starts the services in a few seconds, the last one for any machine. Each has
//    a folder of its own: servers that start in the folder of the one before would have its journal.

import type { DemoPace, DemoTimes } from "./day.ts";
import type { DemoOptions } from "../options.ts";

export const postsPerSecond = 100;
/** So long before the close somebody looks whether the day is through (`play/slow-close.ts`). */
export const lookBeforeCloseMs = 2_500;
const startingMs = 7_000;
const slowStartingMs = 40_000;
const holdingMs = 3_000;
const windowMs = 13_000;
const windowAfterKillMs = 25_000;
const outageRoomMs = 7_000;
const releasesPerSecond = 100;
const reconcilesAfterMs = 3_000;
const memoryStartingMs = 1_500;
const memoryWindowMs = 16_000;
const memoryReconcilesAfterMs = 2_000;
/** For 11 topics and 88 schemas; it grows with them. */
const usualProvisioningMs = 4_000;
const slownessMax = 3;
/** Time of the slowest debit from its post until it is held, because refused reports are sent again after seconds. */
const slowestHoldMs = 8_000;

export function pacesFor({ debits, kill }: Pick<DemoOptions, "debits" | "kill">): readonly (DemoPace & { readonly isLast: boolean })[] {
  const postingMs = postingTimeMs(debits);
  const openMs = (kill === null ? windowMs : windowAfterKillMs) + (debits / releasesPerSecond) * 1_000;
  const pace = (forStartMs: number, isLast: boolean): DemoPace & { readonly isLast: boolean } => ({
    opensInMs: forStartMs + postingMs + holdingMs,
    windowMs: openMs + outageRoomMs,
    reconcilesAfterMs,
    isLast,
  });
  return [pace(startingMs, false), pace(slowStartingMs, true)];
}

/**
 * The pace of a day in one process over memory: nothing has to start, and no consumer group assigns partitions. The
 * window outlasts the outage, the next probe and the backlog until somebody looks whether the day is through: else
 * every machine would be called slow.
 */
export function memoryPace({ debits }: Pick<DemoOptions, "debits">): DemoPace {
  return {
    opensInMs: memoryStartingMs + postingTimeMs(debits),
    windowMs: memoryWindowMs + (debits / releasesPerSecond) * 1_000,
    reconcilesAfterMs: memoryReconcilesAfterMs,
  };
}

/** #5. `directory` null: nothing is kept. */
export function folderOf({ isLast }: { readonly isLast: boolean }, directory: string | null): string | null {
  return directory === null ? null : `${directory}${isLast ? "-later-windows" : ""}`;
}

/** #3. Scales a pace by the time that provisioning took, which is work of the same kind as the day's. */
export function slowedDown(pace: DemoPace, provisioningMs: number): DemoPace {
  const slowness = Math.min(Math.max(provisioningMs / usualProvisioningMs, 1), slownessMax);
  const { opensInMs, windowMs, reconcilesAfterMs } = pace;
  // #4
  const roomMs = Math.min(outageRoomMs, windowMs);
  return { opensInMs: opensInMs * slowness, windowMs: roomMs + (windowMs - roomMs) * slowness, reconcilesAfterMs };
}

/** Returns whether debits posted from now on could miss the day. */
export function isTooLate(times: DemoTimes, debits: number, nowMs: number): boolean {
  return nowMs + postingTimeMs(debits) + slowestHoldMs > times.closesAtMs - times.cutOffMs;
}

function postingTimeMs(debits: number): number {
  return (debits / postsPerSecond) * 1_000;
}
