// Two promises that no transaction shows: who declares a day's credits, and how the release order sorts as text.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { creditsFinal, dayAfter, markerIds, partitionCredits, dayPlanned, dayTimeReached, uetr } from "../given.fixture.ts";
import { queueKey } from "../debit-and-credit/facts/on-message.ts";

test.each([
  { first: "connector", later: "clock" },
  { first: "connector", later: "bank" },
  { first: "bank", later: "connector" },
  { first: "clock", later: "connector" },
] as const)("I8: a later plan does not change that the $first declares the day's credits final", ({ first, later }) => {
  const plan = dayPlanned({ creditsFinal: first });
  const replanned = dayPlanned({ creditsFinal: later, calendarVersion: "v2", reconciliationAtMs: plan.reconciliationAtMs + 1 });
  const { day } = dayAfter([1, plan], [2, replanned]);
  expect(day?.plan).toMatchObject({ creditsFinal: first, reconciliationAtMs: plan.reconciliationAtMs + 1 });
  const opened = dayAfter([1, plan], [2, replanned], [100, dayTimeReached("window-opens", 1)]);
  expect(markerIds(opened.outcomes.at(-1)).includes("CreditsDeclared:1")).toBe(first === "clock");
  const asked = dayAfter([1, plan], [2, replanned], [3, creditsFinal(first === "bank" ? "a" : null)]);
  expect(asked.outcomes.at(-1)?.decision).toBe(first === "clock" ? "refused" : "applied");
});

test("a later plan does not change how many partitions a declaration waits for", () => {
  const facts = [1, 2, 3, 4].map((_, partition) => partitionCredits(partition));
  const { outcomes } = dayAfter(
    [1, dayPlanned({ creditsFinal: "connector" })],
    [2, dayPlanned({ creditsFinal: "connector", calendarVersion: "v2", partitionCount: 1 })],
    [3, creditsFinal()],
    ...facts.slice(0, 3).map((fact, index) => [4 + index, fact] as const),
  );
  expect(outcomes.slice(3).map(markerIds)).toEqual([[], [], ["GateOpened:1"]]);
});

test("I8: queue keys sort as text by the time of receipt, whatever its number of digits, then by UETR", () => {
  const receipt = fc.tuple(fc.integer({ min: 0, max: 10 ** 15 - 1 }), fc.constantFrom(uetr, uetr.replace("7", "8")));
  fc.assert(
    fc.property(receipt, receipt, ([aMs, a], [bMs, b]) => {
      const isBefore = aMs < bMs || (aMs === bMs && a < b);
      expect(queueKey(aMs, a) < queueKey(bMs, b)).toBe(isBefore);
    }),
  );
});
