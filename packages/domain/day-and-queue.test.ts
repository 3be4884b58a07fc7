// Two promises that no transaction shows: who declares a day's credits, and how release order sorts as text.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { creditsFinal, dayAfter, ids, laneCredits, planned, reached, uetr } from "./given.ts";
import { queueKey } from "./on-message.ts";

test.each([
  { first: "connector", later: "clock" },
  { first: "connector", later: "bank" },
  { first: "bank", later: "connector" },
  { first: "clock", later: "connector" },
] as const)("I8: a later plan does not change that the $first declares the credits of the day final", ({ first, later }) => {
  const plan = planned({ creditsFinal: first });
  const replanned = planned({ creditsFinal: later, calendarVersion: "v2", reconciliationAtMs: plan.reconciliationAtMs + 1 });
  const { day } = dayAfter([1, plan], [2, replanned]);
  expect(day?.plan).toMatchObject({ creditsFinal: first, reconciliationAtMs: plan.reconciliationAtMs + 1 });
  const opened = dayAfter([1, plan], [2, replanned], [100, reached("window-opens", 1)]);
  expect(ids(opened.outcomes.at(-1)).includes("CreditsDeclared:1")).toBe(first === "clock");
  const asked = dayAfter([1, plan], [2, replanned], [3, creditsFinal(first === "bank" ? "a" : null)]);
  expect(asked.outcomes.at(-1)?.decision).toBe(first === "clock" ? "refused" : "applied");
});

test("a later plan does not change how many lanes a declaration waits for", () => {
  const facts = [1, 2, 3, 4].map((_, lane) => laneCredits(lane));
  const { outcomes } = dayAfter(
    [1, planned({ creditsFinal: "connector" })],
    [2, planned({ creditsFinal: "connector", calendarVersion: "v2", lanes: 1 })],
    [3, creditsFinal()],
    ...facts.slice(0, 3).map((fact, index) => [4 + index, fact] as const),
  );
  expect(outcomes.slice(3).map(ids)).toEqual([[], [], ["GateOpened:1"]]);
});

test("I8: queue keys sort as text by time of receipt, whatever its number of digits, then by UETR", () => {
  const receipt = fc.tuple(fc.integer({ min: 0, max: 10 ** 15 - 1 }), fc.constantFrom(uetr, uetr.replace("7", "8")));
  fc.assert(
    fc.property(receipt, receipt, ([aMs, a], [bMs, b]) => {
      const isBefore = aMs < bMs || (aMs === bMs && a < b);
      expect(queueKey(aMs, a) < queueKey(bMs, b)).toBe(isBefore);
    }),
  );
});
