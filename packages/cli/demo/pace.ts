// How fast a demo day goes: as short as it can be shown, and long enough for what has to happen in it.
//
// #1 All debits can be posted, and be held, before the window opens.
// #2 With a kill the window goes on for at least 15 s after it: a group of consumers needs up to 10 s to notice and to share out again.
// #3 A machine that is slow (small, or busy with other things) gets slower days: how slow it is, the provisioning has shown.
// #4 The window outlasts the outage of a bank by the ten seconds until it is tried again, and by what its debits then still have before them.
//    An outage takes as long on any machine.
// #5 The first pace is for a machine that starts the services in a few seconds, the last for any.

import type { DemoPace, DemoTimes } from "./demo-day.ts";
import type { DemoOptions } from "./demo-options.ts";

export const postsPerSecond = 100;
const startingMs = 7_000;
const slowStartingMs = 40_000;
const holdingMs = 3_000;
const windowMs = 13_000;
const windowAfterKillMs = 25_000;
const outageRoomMs = 7_000;
const releasesPerSecond = 100;
const reconcilesAfterMs = 3_000;
const usualProvisioningMs = 1_800;
const slownessMax = 3;
/** For the slowest debit from its post to its hold: refused reports are sent again after seconds. */
const slowestHoldMs = 8_000;

export function pacesFor({ debits, kill }: Pick<DemoOptions, "debits" | "kill">): readonly (DemoPace & { readonly isLast: boolean })[] {
  const postingMs = postingMsOf(debits);
  const openMs = (kill === null ? windowMs : windowAfterKillMs) + (debits / releasesPerSecond) * 1_000;
  const pace = (forStartMs: number, isLast: boolean): DemoPace & { readonly isLast: boolean } => ({
    opensInMs: forStartMs + postingMs + holdingMs,
    windowMs: openMs + outageRoomMs,
    reconcilesAfterMs,
    isLast,
  });
  return [pace(startingMs, false), pace(slowStartingMs, true)];
}

/** By how long the provisioning took, which is work of the same kind as the day's. */
export function slowedDown(pace: DemoPace, provisioningMs: number): DemoPace {
  const slowness = Math.min(Math.max(provisioningMs / usualProvisioningMs, 1), slownessMax);
  const { opensInMs, windowMs, reconcilesAfterMs } = pace;
  // #4
  const roomMs = Math.min(outageRoomMs, windowMs);
  return { opensInMs: opensInMs * slowness, windowMs: roomMs + (windowMs - roomMs) * slowness, reconcilesAfterMs };
}

/** Whether debits posted from now on could miss the day. */
export function isTooLate(times: DemoTimes, debits: number, nowMs: number): boolean {
  return nowMs + postingMsOf(debits) + slowestHoldMs > times.closesAtMs - times.cutOffMs;
}

function postingMsOf(debits: number): number {
  return (debits / postsPerSecond) * 1_000;
}
