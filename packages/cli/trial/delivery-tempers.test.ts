import { seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import type { Temper } from "./delivery-plan.ts";
import { answerOf } from "./delivery-tempers.ts";
import type { BankAnswer } from "./delivery-tempers.ts";

function answersOf(temper: Temper, change: { readonly isHealed?: boolean; readonly isBrief?: boolean } = {}): readonly BankAnswer[] {
  const random = seededRandom(1);
  const question = { temper, isHealed: false, isBrief: false, elsewhere: "http://127.0.0.1:1/inbound/direct-debit", ...change };
  return Array.from({ length: 1_000 }, (_, index) => answerOf({ ...question, nowMs: index * 10 }, random));
}

const statusesOf = (answers: readonly BankAnswer[]): readonly number[] =>
  [...new Set(answers.flatMap((answer) => (answer.kind === "answer" ? [answer.status] : [])))].toSorted((one, other) => one - other);

test("healed banks are healthy, but for the one that throttles", () => {
  for (const temper of ["healthy", "refusing", "black hole", "slow", "hostile"] as const) {
    expect(statusesOf(answersOf(temper, { isHealed: true }))).toEqual([202]);
  }
  expect(statusesOf(answersOf("throttling", { isHealed: true }))).toEqual([202, 429]);
});

test("the one that throttles answers 429 half of the time and says how long, at most until it is over", () => {
  const answers = answersOf("throttling");
  const throttled = answers.filter((answer) => answer.kind === "answer" && answer.status === 429);
  expect(throttled.length).toBeGreaterThan(400);
  expect(throttled.length).toBeLessThan(700);
  expect(new Set(throttled.map((answer) => (answer.kind === "answer" ? answer.headers["retry-after"] : "")))).toEqual(
    new Set(["3", "2", "1"]),
  );
});

test("a hostile bank refuses nothing for good, and asks for no wait of minutes", () => {
  const answers = answersOf("hostile");
  expect(statusesOf(answers)).toEqual([200, 202, 301, 307, 404, 500, 503]);
  expect(statusesOf(answersOf("hostile", { isBrief: true }))).toEqual([202, 500, 503]);
  expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["answer", "raw", "interim", "silent"]));
  const waits = answers.flatMap((answer) => (answer.kind === "answer" ? [answer.headers["retry-after"] ?? ""] : []));
  expect(waits.filter((wait) => /^\d{3,}$/.test(wait))).toEqual([]);
});
