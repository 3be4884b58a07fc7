import { expect, test } from "vitest";
import { findLargest } from "./largest.ts";

test("the largest values come first, equal ones in their order, and no more than asked for", () => {
  const values = new Map([
    ["a", 1],
    ["b", 3],
    ["c", 2],
    ["d", 3],
    ["e", 0],
  ]);
  expect(findLargest(values, 3)).toEqual([
    ["b", 3],
    ["d", 3],
    ["c", 2],
  ]);
  expect(findLargest(values, 9).map(([key]) => key)).toEqual(["b", "d", "c", "a", "e"]);
  expect(findLargest([], 3)).toEqual([]);
});
