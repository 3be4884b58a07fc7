import { expect, test } from "vitest";
import { computeSpread } from "../spread.ts";
import { buildFigure } from "./figures.ts";
import { formatLimitsReport } from "./report.ts";

const machine = { cores: 2, processor: "AMD EPYC", memoryMiB: 8_000, node: "26.10.0", system: "linux x64" };

test("a goal is reached by the median, at the bound too", () => {
  const value = computeSpread([0.4, 0.5, 0.9], 2);
  expect(buildFigure("ratio", value, { atLeast: 0.5 })).toMatchObject({ goal: "≥ 0.5", isReached: true });
  expect(buildFigure("ratio", value, { atLeast: 0.51 })).toMatchObject({ isReached: false });
  expect(buildFigure("ratio", value, { atMost: 0.5 })).toMatchObject({ goal: "≤ 0.5", isReached: true });
  expect(buildFigure("ratio", value, { atMost: 0.49 })).toMatchObject({ isReached: false });
  expect(buildFigure("ratio", value)).toMatchObject({ goal: null, isReached: null });
});

test("a report shows each figure with its goal, and what went wrong", () => {
  const figures = { "ingress of bare server": buildFigure("ratio", computeSpread([0.4], 2), { atLeast: 0.5 }) };
  const report = {
    isRight: false,
    problems: ["3 requests were refused"],
    machine,
    store: "memory",
    played: "9 debits",
    figures,
    tookMs: 1_000,
  };
  const text = formatLimitsReport(report);
  expect(text).toMatch(/ingress of bare server +ratio +0.4 \(0.4–0.4\) +≥ 0.5 +no/);
  expect(text).toContain("- 3 requests were refused");
});
