// The faults of log and store in a simulation: what happens to a produce, to a call of the store, to a reading, to the
// brokers' clocks and to the store as a whole. All of it is drawn by the seed, and ends when the faults end.

import type { FetchFate, ProduceFate, TopicPartition } from "@sluice/messaging";
import type { Random, Time } from "@sluice/kernel";
import type { MemoryStore, StoreFault } from "@sluice/store";
import { landsLateMaxMs } from "../foreign-records.ts";
import type { PlannedThrottle, Scenario } from "../scenario.ts";

const produceDelayMaxMs = 1_500;

/** A batch that lands late comes behind newer ones, also those of a process that took over meanwhile. */
export function produceFate(scenario: Scenario, random: Random, isTroubled: boolean): ProduceFate {
  if (!isTroubled || random.fraction() >= scenario.produceTrouble) return { kind: "append" };
  const draw = random.fraction();
  if (draw < 0.25) return { kind: "refuse" };
  if (draw < 0.5) return { kind: "lose-answer" };
  if (draw < 0.75) return { kind: "unknown" };
  const delayMs = random.fraction() * produceDelayMaxMs;
  return draw < 0.9 ? { kind: "append", delayMs } : { kind: "land-late", afterMs: (delayMs / produceDelayMaxMs) * landsLateMaxMs };
}

export function storeFault(scenario: Scenario, random: Random, isTroubled: boolean): StoreFault {
  if (!isTroubled || random.fraction() >= scenario.storeTrouble) return "none";
  const kinds: readonly StoreFault[] = ["down", "ambiguous", "torn", "slow", "late"];
  return kinds[Math.floor(random.fraction() * kinds.length)] ?? "none";
}

/** A throttled partition hands out nothing. Otherwise a leader may be behind where the scenario says so. */
export function fetchFate(
  { throttles, behindPerRead }: Scenario,
  random: Random,
  { elapsedMs, isTroubled }: { readonly elapsedMs: number; readonly isTroubled: boolean },
): FetchFate {
  if (!isTroubled) return "answer";
  if (throttles.some((throttle) => isThrottled(throttle, elapsedMs))) return "nothing";
  return behindPerRead > 0 && random.fraction() < behindPerRead ? "behind" : "answer";
}

function isThrottled({ atMs, untilMs }: PlannedThrottle, elapsedMs: number): boolean {
  return atMs <= elapsedMs && elapsedMs < untilMs;
}

/**
 * The clock of each broker, by the partition that it leads: it is ahead by a part of a second, and may step back once.
 */
export function brokerClocks({ brokerClocks: clocks }: Scenario, time: Time, startAtMs: number): (partition: TopicPartition) => number {
  return ({ partition }) => {
    const clock = clocks[partition % Math.max(1, clocks.length)];
    if (clock === undefined) return time.nowMs();
    const hasStepped = time.nowMs() - startAtMs >= clock.stepsBackAtMs;
    return time.nowMs() + clock.aheadMs - (hasStepped ? clock.stepMs : 0);
  };
}

/** The store is copied, goes on, and goes back to the copy under all running processes. */
export function planStoreGoingBack({ storeGoesBack }: Scenario, time: Time, store: MemoryStore, restored: () => void): void {
  if (storeGoesBack === null) return;
  time.after(storeGoesBack.copiedAtMs, () => {
    const restore = store.backUp();
    time.after(storeGoesBack.secondsBack * 1_000, () => {
      restore();
      restored();
    });
  });
}
