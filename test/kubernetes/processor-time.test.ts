import { expect, test } from "vitest";
import { coresOfOthers, parseBusySeconds } from "./processor-time.ts";

test("the machine's processor time is all but idle and waiting", () => {
  expect(parseBusySeconds("cpu  1000 200 300 90000 5000 10 40 7 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n")).toBe(15.5);
});

test("others used what the machine used and the cluster did not", () => {
  const before = { atMs: 0, allS: 100, clusterS: 40 };
  expect(coresOfOthers(before, { atMs: 10_000, allS: 120, clusterS: 55 })).toBe(0.5);
  // The two are read one after the other.
  expect(coresOfOthers(before, { atMs: 10_000, allS: 110, clusterS: 50.1 })).toBe(0);
});
