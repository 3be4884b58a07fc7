import { expect, test } from "vitest";
import { simulate } from "./simulate.ts";

test.each([7, 8, 21])("seed %i gives the same trace in two runs", async (seed) => {
  const first = await simulate(seed);
  const second = await simulate(seed);
  expect(second.traceLines).toBe(first.traceLines);
  expect(second.traceHash).toBe(first.traceHash);
  expect(first.traceLines).toBeGreaterThan(500);
});
