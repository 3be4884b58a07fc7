// What a session keeps of decisions about several.

import { expect, test } from "vitest";
import { createKeptOutcomes, keptMax } from "./kept-outcomes.ts";

test("I15: a session keeps a bounded number of decisions about several, the newest ones", () => {
  const kept = createKeptOutcomes();
  const keep = (nth: number): void => kept.keep({ action: `a-${nth}`, atMs: nth, ones: [], sums: [] });
  for (let nth = 0; nth < keptMax; nth += 1) keep(nth);
  // One that is sent again is the newest.
  keep(0);
  keep(keptMax);
  const found = [0, 1, 2, keptMax].map((nth) => kept.find(`a-${nth}`) !== null);
  expect(found).toEqual([true, false, true, true]);
});
