// `onUsOutcomeReport`: the initiating bank of an on-us debit gets ACSC or RJCT at the end. It is no state and blocks
// nothing.

import { expect, test } from "vitest";
import {
  acceptedSteps,
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
  runSteps,
  type SequenceStep,
  shortName,
  stateAfter,
  verdict,
} from "../../given.fixture.ts";
import { answerNoticesMax, ownNoticesMax } from "../transaction.ts";

const wanted: readonly SequenceStep[] = [debit(), verdict({ wantsOutcomeReport: true }), ended("A"), ...openDay, release(), ended("D")];

test.each(["made", "not-made"] as const)(
  "the outcome report, %s, goes to the initiating bank under a key of its own [D6 onUsOutcomeReport]",
  (outcome) => {
    const { last, transaction, states } = stateAfter(...wanted, report(outcome));
    const state = outcome === "made" ? "COMPLETED" : "UNPAID";
    expect(last.outputs.map(shortName)).toEqual([state, "send:S"]);
    expect(last.outputs[1]).toMatchObject({
      operation: "outboundDirectDebitResponse",
      form: "on-us-outcome",
      state,
      messageIdentification: `${hex}S`,
      deliveryKey: `${hex}S`,
      receiver: bank,
      businessDate: date,
      reconciliationDay: null,
      stopsAtMs: null,
      about: null,
    });
    expect(states.at(-1)).toBe(state);
    expect(transaction.outcomeReport).toBeNull();
  },
);

test("no on-us outcome report is sent without a request, at a close, or off-us [D6.8]", () => {
  expect(stateAfter(...acceptedSteps, ended("A"), ...openDay, release(), report()).last.outputs.map(shortName)).toEqual([
    "DELIVERED",
    "stop:D",
    "COMPLETED",
  ]);
  expect(stateAfter(...wanted, dayReconciled(), dayClosed()).last.outputs.map(shortName)).toEqual(["RECONCILIATION"]);
  expect(stateAfter(...wanted, report("pending")).last.outputs).toEqual([]);
  const offUs = [offUsDebit(), offUsVerdict({ wantsOutcomeReport: true }), ...openDay, release(), ended("D"), report()];
  expect(stateAfter(...offUs).last.outputs.map(shortName)).toEqual(["COMPLETED", "send:O1"]);
});

test("the on-us outcome report ends by itself at the newest announced close, but not within an hour [D4 S]", () => {
  const deadlineAfter = (...steps: readonly SequenceStep[]): unknown => runSteps(steps).transaction?.notices.at(-1)?.deadlineMs;
  expect(deadlineAfter(...wanted, report())).toBe(8_000 + 3_600_000);
  expect(deadlineAfter(dayTimes(1, 5_000_000), ...wanted, report())).toBe(5_000_000);
  expect(deadlineAfter(dayTimes(1, 5_000_000), ...wanted, dayTimes(2, 7_000_000), report(), dayTimes(3, 9_000_000))).toBe(7_000_000);
  expect(deadlineAfter(dayTimes(1, 500_000), ...wanted, report())).toBe(9_000 + 3_600_000);
  expect(deadlineAfter(dayTimes(1, 5_000_000, "2026-11-23"), ...wanted, report())).toBe(8_000 + 1_000 + 3_600_000);
});

test("the end of an on-us outcome report changes nothing and does not count as an answer to the debit", () => {
  expect(stateAfter(...wanted, report(), ended("S")).last).toMatchObject({ decision: "ignored", outputs: [] });
  const other = debit({ message: identity("M2", "c1") });
  expect(stateAfter(...wanted, report(), other).last.outputs.map(shortName)).toEqual(["send:Y"]);
});

test("I15: a place is kept for the on-us outcome report, however many further messages were answered or deliveries stopped before", () => {
  const many = Array.from({ length: 30 }, (_, index) => debit({ message: identity(`N${index}`, `n${index}`) }));
  const { last, transaction } = stateAfter(...wanted, ...many, report());
  expect(last.outputs.map(shortName)).toEqual(["COMPLETED", "send:S"]);
  expect(transaction.notices).toHaveLength(answerNoticesMax + 1);
  const stops = Array.from({ length: 30 }, () => ended("A", "refused"));
  const stopped = stateAfter(...wanted, ...stops, report());
  expect(stopped.last.outputs.map(shortName)).toEqual(["COMPLETED", "send:S"]);
  expect(stopped.transaction.notices).toHaveLength(ownNoticesMax);
});
