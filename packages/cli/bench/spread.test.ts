import { expect, test } from "vitest";
import { quantile, spreadOf } from "./spread.ts";

test("the median of an odd number is the middle one, of an even number lies between the two", () => {
  expect(spreadOf([3, 1, 2], 1)).toEqual({ median: 2, least: 1, most: 3 });
  expect(spreadOf([4, 1, 3, 2], 1)).toEqual({ median: 2.5, least: 1, most: 4 });
  expect(spreadOf([], 1)).toEqual({ median: 0, least: 0, most: 0 });
});

test("a quantile is one of the values: the first that so many are not above", () => {
  const sorted = Array.from({ length: 100 }, (_, index) => index + 1);
  expect([quantile(sorted, 0.5), quantile(sorted, 0.99), quantile(sorted, 1), quantile([], 0.5)]).toEqual([50, 99, 100, 0]);
});
