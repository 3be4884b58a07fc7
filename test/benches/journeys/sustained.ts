// Judges whether services kept up with a load. That all journeys end soon after it is not enough: what falls behind by
// a tenth has ended 6 s after a load of a minute.
//
// #1 All journeys ended.
// #2 The backlog does not grow: its mean in the last ten seconds is at most 1.1 times that of the ten before half-time.
// #3 Latency does not grow: the p99 of the last third is at most 1.2 times that of the middle third.
// #4 What chance does to few journeys does not count: the root of a backlog, and 50 ms.

import { quantile } from "../spread.ts";

/** Times from the begin of the load, in milliseconds. */
export interface JourneyTimes {
  readonly dueMs: number;
  /** Null if it did not end. */
  readonly endedMs: number | null;
}

const spanMs = 10_000;
const backlogGrowthMax = 1.1;
const latencyGrowthMax = 1.2;
const latencyChanceMs = 50;
const p99 = 0.99;

export function isSustained(journeys: readonly JourneyTimes[], loadMs: number): boolean {
  if (journeys.some(({ endedMs }) => endedMs === null)) return false;
  const span = Math.min(spanMs, loadMs / 4);
  const before = computeBacklog(journeys, loadMs / 2 - span, loadMs / 2);
  const last = computeBacklog(journeys, loadMs - span, loadMs);
  const middleMs = computeLatency(journeys, loadMs / 3, (loadMs * 2) / 3);
  const lastMs = computeLatency(journeys, (loadMs * 2) / 3, loadMs);
  return last <= backlogGrowthMax * before + Math.sqrt(before) && lastMs <= latencyGrowthMax * middleMs + latencyChanceMs;
}

/** Returns the mean number of journeys that had begun and not ended. */
function computeBacklog(journeys: readonly JourneyTimes[], fromMs: number, untilMs: number): number {
  const openMs = journeys.map(({ dueMs, endedMs }) => Math.min(endedMs ?? untilMs, untilMs) - Math.max(dueMs, fromMs));
  return openMs.reduce((sum, ms) => sum + Math.max(0, ms), 0) / (untilMs - fromMs);
}

function computeLatency(journeys: readonly JourneyTimes[], fromMs: number, untilMs: number): number {
  const due = journeys.filter(({ dueMs }) => dueMs >= fromMs && dueMs < untilMs);
  return quantile(
    due.map(({ dueMs, endedMs }) => (endedMs ?? Infinity) - dueMs).toSorted((a, b) => a - b),
    p99,
  );
}
