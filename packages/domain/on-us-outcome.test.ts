// `onUsOutcomeReport`: the initiating side of an on-us debit is told ACSC or RJCT at the end. It is no state and holds nothing.

import { expect, test } from "vitest";
import {
  accepted,
  after,
  bank,
  date,
  dayClosed,
  dayReconciled,
  dayTimes,
  debit,
  ended,
  hex,
  identity,
  offUsDebit,
  offUsVerdict,
  openDay,
  release,
  report,
  short,
  tellAll,
  verdict,
} from "./given.ts";
import type { Step } from "./given.ts";
import { answersToldMax, toldMax } from "./transaction.ts";

const wanted: readonly Step[] = [debit(), verdict({ wantsOutcomeReport: true }), ended("A"), ...openDay, release(), ended("D")];

test.each(["made", "not-made"] as const)(
  "the outcome, %s, is told to the initiating side under an own key [D6 onUsOutcomeReport]",
  (outcome) => {
    const { last, transaction, states } = after(...wanted, report(outcome));
    const state = outcome === "made" ? "COMPLETED" : "UNPAID";
    expect(last.outputs.map(short)).toEqual([state, "send:S"]);
    expect(last.outputs[1]).toMatchObject({
      operation: "outboundDirectDebitResponse",
      form: "on-us-outcome",
      state,
      messageIdentification: `${hex}S`,
      deliveryKey: `${hex}S`,
      receiver: bank,
      businessDate: date,
      closesWith: null,
      stopsAtMs: null,
      about: null,
    });
    expect(states.at(-1)).toBe(state);
    expect(transaction.outcome).toBeNull();
  },
);

test("nobody is told who has not asked, nor of a close, nor off-us", () => {
  expect(after(...accepted, ended("A"), ...openDay, release(), report()).last.outputs.map(short)).toEqual([
    "DELIVERED",
    "stop:D",
    "COMPLETED",
  ]);
  expect(after(...wanted, dayReconciled(), dayClosed()).last.outputs.map(short)).toEqual(["RECONCILIATION"]);
  expect(after(...wanted, report("pending")).last.outputs).toEqual([]);
  const offUs = [offUsDebit(), offUsVerdict({ wantsOutcomeReport: true }), ...openDay, release(), ended("D"), report()];
  expect(after(...offUs).last.outputs.map(short)).toEqual(["COMPLETED", "send:O1"]);
});

test("it ends by itself at the newest planned close that the lane has passed, or an hour later where it has passed none", () => {
  const deadlineAfter = (...steps: readonly Step[]): unknown => tellAll(steps).transaction?.told.at(-1)?.deadlineMs;
  expect(deadlineAfter(...wanted, report())).toBe(8_000 + 3_600_000);
  expect(deadlineAfter(dayTimes(1, 500_000), ...wanted, report())).toBe(500_000);
  expect(deadlineAfter(dayTimes(1, 500_000), ...wanted, dayTimes(2, 700_000), report(), dayTimes(3, 900_000))).toBe(700_000);
  expect(deadlineAfter(dayTimes(1, 500_000, "2026-11-23"), ...wanted, report())).toBe(8_000 + 1_000 + 3_600_000);
});

test("its end changes nothing, and it does not make the debit look answered", () => {
  expect(after(...wanted, report(), ended("S")).last).toMatchObject({ decision: "ignored", outputs: [] });
  const other = debit({ message: identity("M2", "c1") });
  expect(after(...wanted, report(), other).last.outputs.map(short)).toEqual(["send:Y"]);
});

test("I15: a place is kept for it, however many further messages were answered, or deliveries stopped, before", () => {
  const many = Array.from({ length: 30 }, (_, index) => debit({ message: identity(`N${index}`, `n${index}`) }));
  const { last, transaction } = after(...wanted, ...many, report());
  expect(last.outputs.map(short)).toEqual(["COMPLETED", "send:S"]);
  expect(transaction.told).toHaveLength(answersToldMax + 1);
  const stops = Array.from({ length: 30 }, () => ended("A", "refused"));
  const stopped = after(...wanted, ...stops, report());
  expect(stopped.last.outputs.map(short)).toEqual(["COMPLETED", "send:S"]);
  expect(stopped.transaction.told).toHaveLength(toldMax);
});
