import { expect, test } from "vitest";
import { simulate } from "./world.ts";

test.each([7, 8, 21])("the same seed gives the same trace twice: seed %i", async (seed) => {
  const first = await simulate(seed);
  const second = await simulate(seed);
  expect(second.traceLines).toBe(first.traceLines);
  expect(second.traceHash).toBe(first.traceHash);
  expect(first.traceLines).toBeGreaterThan(500);
});
