// What stays to be tried after the day, as a stranger reads it.

import { seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { checkDay } from "../check/day.ts";
import { leaveItemsOpen, planDemoDay, planWaitingDebit } from "../plan/day.ts";
import { formatStay } from "./stay.ts";
import { buildVerdict } from "./verdict.ts";

const day = planDemoDay(seededRandom(1), 1, 0);

test("two items of the day are left to the person who stays; all others are resolved as planned", () => {
  const left = leaveItemsOpen(day);
  const kinds = (of: typeof day) => of.transactions.filter(({ end }) => end.row !== null && end.found === null).map(({ kind }) => kind);
  expect([kinds(day), kinds(left)]).toEqual([[], ["no-answer", "no-answer"]]);
  const resolved = left.transactions.filter(({ end }) => end.found !== null).map(({ kind }) => kind);
  expect(resolved.toSorted()).toEqual(["credit-no-report", "no-report", "no-report"]);
  const problems = checkDay({ day: left, snapshots: new Map(), requests: [] }, true);
  expect(problems.filter((problem) => problem.includes("no-answer") && problem.includes("not resolved"))).toEqual([]);
});

test("the verdict says how many were left open, and does not claim that two people resolved them", () => {
  const counts = { unresolvedAtClose: 5, itemsAtClose: 5 };
  expect(buildVerdict({ problems: [], counts, states: [], leftOpen: 2 }).at(-1)?.text).toBe(
    "5 unresolved at the close, 5 on the list, 3 resolved by two people, 2 left open for you",
  );
});

test("it names the console, two people with their tokens, and three tasks that the day left something for", () => {
  const operators = ["thandi", "sipho"].map((id) => ({ id, name: id, roles: ["read"] as const, token: `token-of-${id}` }));
  const debit = planWaitingDebit(seededRandom(2), 0);
  const text = formatStay(
    { controlUrl: "http://127.0.0.1:4711/control/v1", operators },
    { businessDate: "2026-11-27", waiting: debit.uetr, openItems: 2 },
  );
  expect(text).toContain("http://127.0.0.1:4711/");
  for (const part of ["token-of-thandi", "token-of-sipho", debit.uetr, "acacia", "30 minutes", "ZA_EFT:2026-11-27", "2 items"])
    expect([part, text.includes(part)]).toEqual([part, true]);
});
