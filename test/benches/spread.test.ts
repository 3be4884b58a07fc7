import { expect, test } from "vitest";
import { quantile, computeSpread } from "./spread.ts";

test("the median is the middle value, or the mean of the two middle ones", () => {
  expect(computeSpread([3, 1, 2], 1)).toEqual({ median: 2, least: 1, most: 3 });
  expect(computeSpread([4, 1, 3, 2], 1)).toEqual({ median: 2.5, least: 1, most: 4 });
  expect(computeSpread([], 1)).toEqual({ median: 0, least: 0, most: 0 });
});

test("a quantile is one of the values, by nearest rank", () => {
  const sorted = Array.from({ length: 100 }, (_, index) => index + 1);
  expect([quantile(sorted, 0.5), quantile(sorted, 0.99), quantile(sorted, 1), quantile([], 0.5)]).toEqual([50, 99, 100, 0]);
});
