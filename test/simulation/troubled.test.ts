import { describe, expect, test } from "vitest";
import { judge, seedsOf } from "./seeds.ts";

describe("I1, I3, I4, I5, I6, I8, I9, I10, I11, I16: so does a day with crashes, lost answers, ambiguous writes and moving partitions", () => {
  test.each(seedsOf("troubled", 0))("seed %i", async (seed) => {
    const verdict = await judge(seed);
    expect(verdict).toMatchObject({ wrong: [], evidence: [] });
    expect(verdict.checked).toBeGreaterThan(50);
  });
});
