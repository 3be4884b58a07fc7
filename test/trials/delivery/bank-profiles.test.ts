import { seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import type { BankProfile } from "./plan.ts";
import { drawAnswer, type ProfileAnswer } from "./bank-profiles.ts";

function drawAnswers(
  profile: BankProfile,
  change: { readonly isHealed?: boolean; readonly isBrief?: boolean } = {},
): readonly ProfileAnswer[] {
  const random = seededRandom(1);
  const conditions = { profile, isHealed: false, isBrief: false, otherBankUrl: "http://127.0.0.1:1/inbound/direct-debit", ...change };
  return Array.from({ length: 1_000 }, (_, index) => drawAnswer({ ...conditions, nowMs: index * 10 }, random));
}

const listStatuses = (answers: readonly ProfileAnswer[]): readonly number[] =>
  [...new Set(answers.flatMap((answer) => (answer.kind === "answer" ? [answer.status] : [])))].toSorted((one, other) => one - other);

test("healed banks are healthy, except for the throttling one", () => {
  for (const profile of ["healthy", "refusing", "black hole", "slow", "hostile"] as const) {
    expect(listStatuses(drawAnswers(profile, { isHealed: true }))).toEqual([202]);
  }
  expect(listStatuses(drawAnswers("throttling", { isHealed: true }))).toEqual([202, 429]);
});

test("the throttling bank answers 429 half of the time, with a Retry-After up to the end of that half", () => {
  const answers = drawAnswers("throttling");
  const throttled = answers.filter((answer) => answer.kind === "answer" && answer.status === 429);
  expect(throttled.length).toBeGreaterThan(400);
  expect(throttled.length).toBeLessThan(700);
  expect(new Set(throttled.map((answer) => (answer.kind === "answer" ? answer.headers["retry-after"] : "")))).toEqual(
    new Set(["3", "2", "1"]),
  );
});

test("a hostile bank never refuses for good and asks for no wait of minutes", () => {
  const answers = drawAnswers("hostile");
  expect(listStatuses(answers)).toEqual([200, 202, 301, 307, 404, 500, 503]);
  expect(listStatuses(drawAnswers("hostile", { isBrief: true }))).toEqual([202, 500, 503]);
  expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["answer", "raw", "interim", "silent"]));
  const waits = answers.flatMap((answer) => (answer.kind === "answer" ? [answer.headers["retry-after"] ?? ""] : []));
  expect(waits.filter((wait) => /^\d{3,}$/.test(wait))).toEqual([]);
});
