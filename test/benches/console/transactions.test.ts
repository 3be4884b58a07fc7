// Tests the transactions with which the console bench fills a store.

import { expect, test } from "vitest";
import { buildBenchTransaction, type BenchSpan } from "./transactions.ts";

const span: BenchSpan = {
  total: 1_000,
  nowMs: Date.UTC(2026, 10, 20, 12),
  dayBefore: "2026-11-19",
  day: "2026-11-20",
  banks: ["karoo", "other0", "other1"],
};
const all = Array.from({ length: span.total }, (_, number) => buildBenchTransaction(number, span).transaction);

test("each has a UETR of its own, and they are received one after another, none after now", () => {
  expect(new Set(all.map(({ uetr }) => uetr)).size).toBe(span.total);
  const times = all.map(({ receivedAtMs }) => receivedAtMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times.at(-1)).toBeLessThanOrEqual(span.nowMs);
});

test("both days, all banks, the four states and open items occur", () => {
  const valuesOf = (read: (one: (typeof all)[number]) => string | null) => new Set(all.map(read));
  expect(valuesOf(({ state }) => state)).toEqual(new Set(["COMPLETED", "DELIVERED", "HELD", "UNPAID"]));
  expect(valuesOf(({ businessDate }) => businessDate)).toEqual(new Set([span.dayBefore, span.day]));
  expect(valuesOf(({ bank }) => bank)).toEqual(new Set(span.banks));
  expect(all.filter(({ items }) => items.length === 1).map(({ businessDate }) => businessDate)).toEqual(["2026-11-19", "2026-11-19"]);
});

test("the last entry of each is its state", () => {
  for (const { state, transitions } of all) expect(transitions.at(-1)?.state).toBe(state);
});
