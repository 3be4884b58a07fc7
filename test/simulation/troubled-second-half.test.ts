// Runs the second half of the troubled seeds, so that each of two cores has one file.

import { describe, expect, test } from "vitest";
import { checkSeed, requiredTroubles, selectSeeds } from "./seeds.ts";
import type { Trouble } from "./troubles.ts";

const had = new Set<Trouble>();

describe("I1, I3, I4, I5, I6, I8, I9, I10, I11, I16: a day with crashes, lost answers, ambiguous writes and rebalances keeps the promises, and ends (second half)", () => {
  test.each(selectSeeds("troubled", 1))("seed %i", async (seed) => {
    const verdict = await checkSeed(seed);
    for (const trouble of verdict.troubles) had.add(trouble);
    expect(verdict).toMatchObject({ wrong: [], evidence: [] });
    expect(verdict.checked).toBeGreaterThan(50);
  });

  test("some of these days have each kind of trouble", () => {
    expect(requiredTroubles.filter((trouble) => !had.has(trouble))).toEqual([]);
  });
});
