import type { Transaction } from "@sluice/domain";
import { seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { planDemoDay } from "../plan/day.ts";
import { checkDay } from "./day.ts";
import { describeLate, findLate } from "./late.ts";

const day = planDemoDay(seededRandom(1), 3, 0);
const [today, tomorrow] = ["2026-11-27", "2026-11-28"] as const;
const [first, second, third] = day.transactions.filter(({ kind }) => kind === "good");

function held(businessDate: string): Transaction {
  // Only the members that are read.
  return { state: "HELD", businessDate, items: [], observations: { last: [] }, transitions: [] } as never;
}

const evidence = {
  day,
  snapshots: new Map([
    [first?.uetr ?? "", held(tomorrow)],
    [second?.uetr ?? "", held(tomorrow)],
    [third?.uetr ?? "", held(today)],
  ]),
  requests: [],
};

test("what is held for another date is late, in one sentence; what is held for the day itself is not", () => {
  const late = findLate(evidence, today);
  expect(late).toEqual(new Set([first?.uetr, second?.uetr]));
  const missed = `missed the window of ${today}, as on a machine that is too slow for this day; held for the next date`;
  expect(describeLate(late, today)).toEqual([`2 debits, ${[...late][0]} the first, ${missed}`]);
  expect(describeLate(new Set(["u-1"]), today)).toEqual([`u-1 ${missed}`]);
  expect(describeLate(new Set(), today)).toEqual([]);
});

test("the checks of the day leave out what is late, and nothing else", () => {
  const about = (late: ReadonlySet<string>): readonly boolean[] =>
    [first, second, third].map((one) => checkDay(evidence, false, late).some((problem) => problem.includes(one?.uetr ?? "")));
  expect([about(new Set()), about(findLate(evidence, today))]).toEqual([
    [true, true, true],
    [false, false, true],
  ]);
});
