// A held debit is carried over to the next business date: docs/spec/decisions.md D9.48 to D9.52. So it is
// when a calendar removes a date: D9.53.

import { expect, test } from "vitest";
import {
  acceptedSteps,
  date,
  dayClosed,
  dayReconciled,
  dayTimes,
  debit,
  ended,
  gateOpened,
  heldSteps,
  nextDate,
  offUsDebit,
  offUsVerdict,
  openDay,
  release,
  runSteps,
  type SequenceStep,
  shortName,
  stateAfter,
  stepPosition,
  today,
  tomorrow,
  verdict,
  windowClosed,
  windowOpened,
} from "../../given.fixture.ts";
import { dayVoid, lastClosed } from "../decisions.fixture.ts";
import { transitionsMax } from "../transaction.ts";

const third = "2026-11-24";
const [oneCarryOver, twoCarryOvers] = [verdict({ carryOversMax: 1 }), verdict({ carryOversMax: 2 })];
const heldWithCarryOver: readonly SequenceStep[] = [debit(), oneCarryOver, ended("A")];
const carriedOver: readonly SequenceStep[] = [...heldWithCarryOver, lastClosed(), dayClosed()];

test("I6: the last close of its date carries a held debit over: HELD again, with a further event, the next date and its deadline [D9 carry-over]", () => {
  const { last, transaction, states } = stateAfter(...carriedOver);
  expect(states.slice(-3)).toEqual(["REPORTED", "HELD", "HELD"]);
  expect(last).toMatchObject({ decision: "applied", reason: null });
  expect(last.outputs).toMatchObject([
    { kind: "event", state: "HELD", stageVersion: 5, businessDate: nextDate, payload: "debit-received", messageIdentification: "M1" },
  ]);
  expect(transaction).toMatchObject({ businessDate: nextDate, reconciliationDay: tomorrow, items: [] });
  const [marker, turn] = [stepPosition(3), stepPosition(4)];
  expect(transaction.transitions.at(-1)).toMatchObject({
    reconciliationDay: tomorrow,
    offset: turn.offset,
    markerOffset: marker.offset,
    atMs: marker.appendedAtMs,
  });
});

test("I8: after a carry-over a release for the old date is refused, and the new date's window and gate let the debit go", () => {
  const late = stateAfter(...heldWithCarryOver, ...openDay, lastClosed(), release({ windowNumber: 1 }));
  expect(late.last).toMatchObject({ decision: "refused", reason: "other-day" });
  expect(late.last.outputs.map(shortName)).toEqual(["HELD"]);
  const gate = { ...gateOpened(), businessDate: nextDate, id: `${tomorrow}:GateOpened:1` };
  const released = stateAfter(...carriedOver, windowOpened(1, nextDate), gate, release({ businessDate: nextDate }));
  expect(released.last.outputs).toMatchObject([
    { state: "RELEASED" },
    { kind: "dispatch", businessDate: nextDate, reconciliationDay: tomorrow },
  ]);
});

test("the close of the first of two windows carries nothing over, nor does the last if the debit may not be carried over: it waits for the reconciliation close [D9 carry-over]", () => {
  expect(stateAfter(...heldWithCarryOver, windowClosed(1), dayClosed()).last).toMatchObject({
    decision: "refused",
    reason: "day-not-reconciled",
  });
  const waiting = stateAfter(...heldSteps, lastClosed(), dayClosed());
  expect(waiting.last).toMatchObject({ decision: "refused", reason: "day-not-reconciled", outputs: [] });
  const closed = stateAfter(...heldSteps, lastClosed(), dayReconciled(), dayClosed());
  expect(closed.transaction).toMatchObject({ state: "RECONCILIATION", items: [{ row: 0, cause: "WINDOW_MISSED", day: today }] });
});

test("I10: a debit is carried over as often as it may be, and then becomes one item of its last date", () => {
  const second = [lastClosed(nextDate, third), dayReconciled(nextDate)];
  const once = stateAfter(...carriedOver, ...second, dayClosed(tomorrow));
  expect(once.transaction).toMatchObject({ state: "RECONCILIATION", items: [{ row: 0, cause: "WINDOW_MISSED", day: tomorrow }] });
  expect(once.last.outputs).toMatchObject([{ state: "RECONCILIATION", wasHeld: true, businessDate: nextDate }]);
  const twice = stateAfter(debit(), twoCarryOvers, ended("A"), lastClosed(), dayClosed(), ...second, dayClosed(tomorrow));
  expect(twice.transaction).toMatchObject({ state: "HELD", businessDate: third, reconciliationDay: `ZA_EFT:${third}`, items: [] });
});

test("the close of a date that the debit has left changes nothing, and a wake for that date is ignored", () => {
  const { transaction, last } = stateAfter(...carriedOver, dayReconciled(), dayClosed());
  expect(last).toMatchObject({ decision: "ignored", outputs: [] });
  expect(transaction).toMatchObject({ state: "HELD", items: [] });
  expect(stateAfter(...carriedOver, dayClosed("ZA_EFT:2020-01-01")).last).toMatchObject({ decision: "refused", reason: "other-day" });
});

test("two markers below one fact are applied in the order of the partition: the debit is carried over, and the close behind is another day's", () => {
  const { states, last } = stateAfter(...heldWithCarryOver, lastClosed(), dayReconciled(), dayClosed());
  expect(states.slice(-2)).toEqual(["HELD", "HELD"]);
  expect(last).toMatchObject({ decision: "applied" });
  // No day closes in this order; the order of the partition would count all the same.
  expect(stateAfter(...heldWithCarryOver, dayReconciled(), lastClosed(), dayClosed()).states.at(-1)).toBe("RECONCILIATION");
});

test("a debit that becomes held only after the last close is carried over with the same record: on-us the acknowledgement, off-us the verdict", () => {
  const onUs = stateAfter(debit(), oneCarryOver, lastClosed(), ended("A"));
  expect(onUs.last.outputs.map(shortName)).toEqual(["REPORTED", "HELD", "HELD"]);
  expect(onUs.transaction.transitions.at(-1)).toMatchObject({
    businessDate: nextDate,
    atMs: stepPosition(3).appendedAtMs,
    markerOffset: stepPosition(2).offset,
  });
  const offUs = stateAfter(lastClosed(), offUsDebit(), offUsVerdict({ carryOversMax: 1 }));
  expect(offUs.last.outputs.map(shortName)).toEqual(["ACCEPTED", "HELD", "HELD"]);
});

test("a date without a window carries every held debit over, whatever its limit, and counts as one carry-over [D9 calendar-change]", () => {
  for (const given of [heldSteps, heldWithCarryOver]) {
    const { transaction, last } = stateAfter(...given, dayVoid(), dayClosed());
    expect(last).toMatchObject({ decision: "applied" });
    expect(transaction).toMatchObject({ state: "HELD", businessDate: nextDate, reconciliationDay: tomorrow });
  }
  const counted = stateAfter(
    ...heldWithCarryOver,
    dayVoid(),
    dayClosed(),
    lastClosed(nextDate, third),
    dayReconciled(nextDate),
    dayClosed(tomorrow),
  );
  expect(counted.states.at(-1)).toBe("RECONCILIATION");
});

test("a debit is carried over at once again if the next date is over too, and times never run backwards", () => {
  const early = [dayVoid(nextDate, third), ...heldWithCarryOver, dayVoid(), dayClosed()];
  const { transaction, states } = stateAfter(...early);
  expect(states.slice(-3)).toEqual(["HELD", "HELD", "HELD"]);
  expect(transaction).toMatchObject({ businessDate: third, reconciliationDay: `ZA_EFT:${third}` });
  const times = transaction.transitions.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test("a debit that is not yet held on a void date waits for its close: RECEIVED, ACCEPTED and REJECTED become items", () => {
  for (const given of [[debit()], acceptedSteps, [debit(), verdict({ verdict: "refused" })]]) {
    const open = stateAfter(...given, dayVoid(), dayClosed());
    expect(open.last).toMatchObject({ decision: "refused", reason: "day-not-reconciled" });
    expect(stateAfter(...given, dayVoid(), dayReconciled(), dayClosed()).states.at(-1)).toBe("RECONCILIATION");
  }
});

test("I15: one void date after another carries a debit over only while transitions are left for its end; then it becomes an item", () => {
  const dateOf = (index: number): string => `2027-01-${String(index + 1).padStart(2, "0")}`;
  const voids = Array.from({ length: 30 }, (_, index) => dayVoid(dateOf(index), dateOf(index + 1)));
  const start = [debit(), verdict({ businessDate: dateOf(0), reconciliationDay: `ZA_EFT:${dateOf(0)}` }), ended("A")];
  const { transaction } = stateAfter(...voids, ...start);
  expect(transaction.state).toBe("HELD");
  expect(transaction.transitions.length).toBe(transitionsMax - 6);
  const { reconciliationDay, businessDate } = transaction;
  const ending = stateAfter(...voids, ...start, dayReconciled(businessDate ?? ""), dayClosed(reconciliationDay ?? undefined));
  expect(ending.transaction).toMatchObject({ state: "RECONCILIATION", items: [{ day: reconciliationDay }] });
});

test("a marker that names no later date carries nothing over", () => {
  for (const next of [null, date, "2026-11-19"]) {
    expect(stateAfter(...heldWithCarryOver, lastClosed(date, next), dayClosed()).states.at(-1)).toBe("HELD");
    expect(stateAfter(...heldWithCarryOver, lastClosed(date, next), dayClosed()).transaction.businessDate).toBe(date);
  }
});

test("I3: a replay of the record that carried a debit over gives the same event again", () => {
  const { outcomes, transaction } = runSteps(carriedOver);
  const again = runSteps(carriedOver, transaction);
  expect(again.outcomes.map(({ outputs }) => outputs)).toEqual(outcomes.map(({ outputs }) => outputs));
  expect(again.transaction).toEqual(transaction);
});

test("a void date that got windows again carries over no debit held after that, until it loses them again or the last one closes", () => {
  const again = stateAfter(debit(), oneCarryOver, dayVoid(), dayTimes(2, 900_000), ended("A"));
  expect(again.transaction).toMatchObject({ state: "HELD", businessDate: date });
  const closed = stateAfter(debit(), oneCarryOver, dayVoid(), dayTimes(2, 900_000), ended("A"), lastClosed(), dayClosed());
  expect(closed.transaction).toMatchObject({ state: "HELD", businessDate: nextDate });
  const lost = { ...dayVoid(), id: `${today}:DayVoid:2` };
  expect(stateAfter(...heldSteps, dayVoid(), dayTimes(2, 900_000), lost, dayClosed()).transaction).toMatchObject({
    businessDate: nextDate,
  });
});
