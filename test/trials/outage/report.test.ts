import { expect, test } from "vitest";
import { formatOutageReport, type OutageFigures, outageProblems } from "./report.ts";

const good: OutageFigures = {
  parkedPerSecond: 600,
  memoryMiB: { parking: 250, afterRestart: 240 },
  takenOverAfterMs: 7_000,
  breakerOpenings: 1,
  probeGapsMs: [10_010, 10_020],
  lookedForMs: 45_000,
  readsWhileWaiting: 4,
  revivedAfterMs: 300,
  drainedPerSecond: 500,
  healthyP99Ms: { before: 20, waiting: 20, draining: 30 },
  p99Ratio: 1.5,
};

const noCrowd = { receivers: 0, messages: 0, longestMs: 0 };

test("figures within the limits are no problem", () => {
  expect(outageProblems(good)).toEqual([]);
  expect(outageProblems({ ...good, readsWhileWaiting: null, p99Ratio: null })).toEqual([]);
});

test.each<readonly [string, Partial<OutageFigures>]>([
  ["too much memory while messages came", { memoryMiB: { parking: 481, afterRestart: 200 } }],
  ["too much memory after a restart", { memoryMiB: { parking: 200, afterRestart: 481 } }],
  ["a process that took no partition", { takenOverAfterMs: null }],
  ["a process that took its partitions late", { takenOverAfterMs: 20_001 }],
  ["a breaker that never opened", { breakerOpenings: 0 }],
  ["no probes", { probeGapsMs: [] }],
  ["probes too near each other", { probeGapsMs: [10_010, 7_900] }],
  ["too many reads of the store", { readsWhileWaiting: 500 }],
  ["a drain that never began", { revivedAfterMs: null }],
  ["a drain that began late", { revivedAfterMs: 6_000 }],
])("%s is a problem", (_, change) => {
  expect(outageProblems({ ...good, ...change })).toHaveLength(1);
});

test("each receiver may take memory of its own, and a backlog none", () => {
  const crowded = { ...good, memoryMiB: { parking: 200, afterRestart: 542 } };
  expect(outageProblems(crowded, 0, 1_000)).toEqual([]);
  expect(outageProblems({ ...crowded, memoryMiB: { parking: 200, afterRestart: 544 } }, 0, 1_000)).toHaveLength(1);
});

test("the report shows the figures and the violations", () => {
  const verdict = { problems: [], attempts: 1_000, repeats: 2, behind: { most: 5, p99: 3 } };
  const report = { seed: 1, waiting: 1_000, receivers: 3, crowd: noCrowd, store: "a store", figures: good, verdict, tookMs: 60_000 };
  const text = formatOutageReport({ ...report, isRight: true, problems: [] });
  for (const expected of ["250 MiB while", "240 MiB after", "7000 ms", "10010 ms, 10020 ms", "4 in 45 s", "300 ms after", "ratio 1.5"])
    expect(text).toContain(expected);
  expect(formatOutageReport({ ...report, isRight: false, problems: ["too much"] })).toContain("VIOLATED (60 s):\n  - too much");
});

test("reads of the store are asserted only where no crowd is away, because what waits for it is tried again", () => {
  const read = { ...good, readsWhileWaiting: 1_000 };
  expect(outageProblems(read)).toHaveLength(1);
  expect(outageProblems(read, 100)).toEqual([]);
});
