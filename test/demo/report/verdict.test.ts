import { seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { planDemoDay } from "../plan/day.ts";
import { formatCast } from "./cast.ts";
import { buildVerdict, formatVerdict } from "./verdict.ts";

const counts = { transactions: 9, eventsInSequence: 50, messagesStored: 18, debitsReleased: 7, unresolvedAtClose: 2, itemsAtClose: 2 };
const states = [
  { state: "COMPLETED", count: 4 },
  { state: "COMPLETED", count: 2 },
  { state: "UNPAID", count: 1 },
  { state: "RECONCILIATION", count: 2 },
];

test("a good day has five ticks, and the first one is a sum", () => {
  const verdict = buildVerdict({ problems: [], counts, states });
  expect(verdict.map(({ isRight }) => isRight)).toEqual([true, true, true, true, true]);
  expect(formatVerdict(verdict).split("\n")[0]).toBe("  ✓ 9 accepted = 6 completed + 1 unpaid + 2 to reconcile");
});

test.each([
  ["I4 u-1: event 3 came before event 2", 1],
  ["I3: two effects of m-1", 2],
  ["I8 u-1: released before its gate", 3],
  ["I10: u-1 is not on the list", 4],
  ["karoo good u-1: ended UNPAID, planned COMPLETED", 0],
  ["scheduler ended by itself (1)", 0],
])("the problem %j takes away tick %i alone", (problem, place) => {
  const verdict = buildVerdict({ problems: [problem], counts, states });
  expect(verdict.flatMap(({ isRight }, index) => (isRight ? [] : [index]))).toEqual([place]);
});

test("the cast names every bank with what it does, within 80 columns", () => {
  const { banks } = planDemoDay(seededRandom(1), 20, 0);
  const lines = formatCast({ banks }).split("\n");
  for (const { name, character } of banks) expect(lines.some((line) => line.includes(name) && line.includes(character))).toBe(true);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});
