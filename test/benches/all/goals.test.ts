import { expect, test } from "vitest";
import type { JourneysStep } from "../journeys/bench.ts";
import { computeSpread } from "../spread.ts";
import { listDeliveryGoals, listJourneyGoals } from "./bench.ts";

const latency = { p50: 15, p99: 41, most: 90 };

function step(ratePerSecond: number, allMicros: number): JourneysStep {
  const counts = { started: 1, accepted: 1, reported: 1, completed: 1, notTaken: 0, lastAfterMs: 1, completedPerSecond: 1 };
  const latencies = { untilReportMs: latency, untilCompletedMs: latency };
  return { ratePerSecond, ...counts, ...latencies, isSustained: true, processorMicrosPerJourney: { all: allMicros } };
}

test("a rate has the goals that are set for it, and a search has that of the sustained rate", () => {
  expect(listJourneyGoals({ steps: [step(100, 4_100)], sustained: null })).toMatchObject({
    "all processes": { value: { median: 4.1 }, goal: "≤ 4", isReached: false },
    "report at the bank, p50": { isReached: true },
    "report at the bank, p99": { isReached: false },
  });
  expect(Object.keys(listJourneyGoals({ steps: [step(25, 9_000)], sustained: null }))).toEqual(["all processes"]);
  const search = { steps: [step(25, 1), step(50, 1)], sustained: step(50, 1) };
  expect(listJourneyGoals(search)).toMatchObject({ sustained: { value: { median: 50 }, goal: "≥ 1000", isReached: false } });
});

test("a delivering service has the goals of its ratio and of the processor time of all", () => {
  const ratio = computeSpread([0.52], 2);
  const processorSecondsPer1000 = { dispatcher: computeSpread([0.05], 3), all: computeSpread([0.07], 3) };
  const one = { service: "dispatcher" as const, ratio, processorSecondsPer1000, deliveriesPerSecond: ratio, repeated: 0, parked: {} };
  expect(listDeliveryGoals({ services: [one] })).toMatchObject({
    "dispatcher of the bare loop": { isReached: true },
    "dispatcher, all processes": { goal: "≤ 0.06", isReached: false },
  });
});
