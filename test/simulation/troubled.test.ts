import { describe, expect, test } from "vitest";
import { judge, seedsOf } from "./seeds.ts";
import { simulate } from "./world.ts";

describe("I1, I3, I4, I5, I6, I8, I9, I10, I11, I16: so does a day with crashes, lost answers, ambiguous writes and moving partitions", () => {
  test.each(seedsOf("troubled"))("seed %i", async (seed) => {
    const verdict = await judge(seed);
    expect(verdict).toMatchObject({ wrong: [], evidence: [] });
    expect(verdict.checked).toBeGreaterThan(50);
  });
});

test.each([7, 8, 21])("the same seed gives the same trace twice: seed %i", async (seed) => {
  const first = await simulate(seed);
  const second = await simulate(seed);
  expect(second.traceLines).toBe(first.traceLines);
  expect(second.traceHash).toBe(first.traceHash);
  expect(first.traceLines).toBeGreaterThan(500);
});
