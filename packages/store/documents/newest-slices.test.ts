// The slices in which the last received transactions are read.

import { expect, test } from "vitest";
import { sliceNewest } from "./newest-slices.ts";

const after = { receivedAtMs: 1_795_000_000_000, uetr: "6f4b2f0e-0000-4000-8000-000000000000" };

test("slices follow each other without a gap, each eight times as long as the one before, and the last has no begin", () => {
  const slices = sliceNewest({ bank: "first" }, after);
  expect(slices.slice(0, 2)).toEqual([
    [{ olderThan: after }, { sinceMs: after.receivedAtMs - 10_000 }],
    [{ untilMs: after.receivedAtMs - 10_000 }, { sinceMs: after.receivedAtMs - 90_000 }],
  ]);
  const [begins, ends] = [
    slices.flatMap((slice) => slice.flatMap((bound) => ("sinceMs" in bound ? [bound.sinceMs] : []))),
    slices.flatMap((slice) => slice.flatMap((bound) => ("untilMs" in bound ? [bound.untilMs] : []))),
  ];
  expect(ends).toEqual(begins);
  expect(slices.at(-1)).toEqual([{ untilMs: begins.at(-1) }]);
});

test("the first page has no end, and begins about now", () => {
  const slices = sliceNewest({}, { aboutMs: after.receivedAtMs });
  expect(slices[0]).toEqual([{ sinceMs: after.receivedAtMs - 10_000 }]);
  expect(slices[1]?.[0]).toEqual({ untilMs: after.receivedAtMs - 10_000 });
});

test("what few transactions have is one question", () => {
  expect(sliceNewest({ identification: "E2E-1" }, after)).toEqual([[{ olderThan: after }]]);
  expect(sliceNewest({ state: "ORPHAN" }, after)).toHaveLength(1);
  expect(sliceNewest({ isQuarantined: true }, after)).toHaveLength(1);
});
