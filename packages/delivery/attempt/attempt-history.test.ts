// A message may be tried for hours, so the attempts that are kept one by one are bounded, and the others are counted.

import type { ParkedAttempt } from "@sluice/store";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { answersCountedMax, attemptsForJournal, attemptsForReceipt, firstAttemptAtMs, appendAttempt } from "./attempt-history.ts";
import { attemptsKept, untried, type AttemptProgress } from "../rules.ts";

type Made = Pick<AttemptProgress, "recentAttempts" | "earlier">;

function attemptAt(atMs: number, httpStatusCode: number | null = 503): ParkedAttempt {
  return { atMs, httpStatusCode, answer: "away", tookMs: 7, address: "https://first.test/a", class: "transient" };
}

function after(attempts: readonly ParkedAttempt[]): Made {
  return attempts.reduce<Made>((made, attempt) => appendAttempt(made, attempt), untried);
}

test("the newest ten attempts are kept one by one, in order; with ten or fewer there is no summary", () => {
  const ten = Array.from({ length: attemptsKept }, (_, index) => attemptAt(index));
  expect(after(ten)).toEqual({ recentAttempts: ten, earlier: null });
  expect(firstAttemptAtMs(untried)).toBeNull();
  expect(firstAttemptAtMs(after(ten))).toBe(0);
});

test("the summary of older attempts has their number, their first and last time, and how often each answer came", () => {
  const codes = [503, 503, null, 404, 503, ...Array.from({ length: attemptsKept }, () => 500)];
  const made = after(codes.map((code, index) => attemptAt(100 + index, code)));
  expect(made.recentAttempts.map(({ atMs }) => atMs)).toEqual(Array.from({ length: attemptsKept }, (_, index) => 105 + index));
  expect(made.earlier).toMatchObject({ count: 5, firstAtMs: 100, lastAtMs: 104 });
  expect(new Map(made.earlier!.answers.map(({ httpStatusCode, count }) => [httpStatusCode, count]))).toEqual(
    new Map([
      [503, 3],
      [null, 1],
      [404, 1],
    ]),
  );
  expect(firstAttemptAtMs(made)).toBe(100);
});

test("whatever a receiver answers, every attempt is counted, and what is kept is bounded", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer({ min: 100, max: 599 })), { maxLength: 100, size: "max" }), (codes) => {
      const made = after(codes.map((code, index) => attemptAt(index, code)));
      const earlier = made.earlier?.answers ?? [];
      expect(made.recentAttempts.length + (made.earlier?.count ?? 0)).toBe(codes.length);
      expect(earlier.reduce((sum, { count }) => sum + count, 0)).toBe(made.earlier?.count ?? 0);
      expect(earlier.length).toBeLessThanOrEqual(answersCountedMax);
      expect(new Set(earlier.map(({ httpStatusCode }) => httpStatusCode)).size).toBe(earlier.length);
      for (const { httpStatusCode, count } of earlier.filter((answer) => answer.httpStatusCode !== null)) {
        const came = codes.slice(0, -attemptsKept).filter((code) => code === httpStatusCode).length;
        expect(count).toBeLessThanOrEqual(came);
      }
    }),
  );
});

test("a receipt has the whole kept text of an answer, a fact of the journal its first 140 characters", () => {
  const made = after([
    { ...attemptAt(1), answer: "x".repeat(1_024) },
    { ...attemptAt(2), answer: null, class: "address" },
  ]);
  expect(attemptsForReceipt(made).map((attempt) => [attempt.answer?.length, attempt.class])).toEqual([
    [1_024, "TRANSIENT"],
    [undefined, "ADDRESS"],
  ]);
  expect(attemptsForJournal(made).map(({ answer }) => answer?.length ?? null)).toEqual([140, null]);
});
