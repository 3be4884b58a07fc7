// A held debit goes over to the next business date: decisions.md, section 9, `onMissedWindow`, and a calendar that takes a date away.

import { expect, test } from "vitest";
import {
  accepted,
  after,
  date,
  dayClosed,
  dayReconciled,
  dayTimes,
  debit,
  ended,
  gateOpened,
  held,
  nextDate,
  offUsDebit,
  offUsVerdict,
  openDay,
  placeOf,
  release,
  short,
  tellAll,
  today,
  tomorrow,
  verdict,
  windowClosed,
  windowOpened,
} from "./given.ts";
import type { Step } from "./given.ts";
import { dayVoid, lastClosed } from "./given-decisions.ts";
import { transitionsMax } from "./transaction.ts";

const third = "2026-11-24";
const [mayRoll, mayRollTwice] = [verdict({ rollsMax: 1 }), verdict({ rollsMax: 2 })];
const rollingHeld: readonly Step[] = [debit(), mayRoll, ended("A")];
const rolled: readonly Step[] = [...rollingHeld, lastClosed(), dayClosed()];

test("I6: by the last close of its date a held debit is held again for the next one: a further event with the new date and deadline [D9 roll]", () => {
  const { last, transaction, states } = after(...rolled);
  expect(states.slice(-3)).toEqual(["REPORTED", "HELD", "HELD"]);
  expect(last).toMatchObject({ decision: "applied", reason: null });
  expect(last.outputs).toMatchObject([
    { kind: "event", state: "HELD", stageVersion: 5, businessDate: nextDate, payload: "debit-received", messageIdentification: "M1" },
  ]);
  expect(transaction).toMatchObject({ businessDate: nextDate, closesWith: tomorrow, items: [] });
  const [marker, turn] = [placeOf(3), placeOf(4)];
  expect(transaction.transitions.at(-1)).toMatchObject({
    closesWith: tomorrow,
    offset: turn.offset,
    markerOffset: marker.offset,
    atMs: marker.appendedAtMs,
  });
});

test("I8: after it rolled, a release for the old date is refused, and its own date's window and gate let it go with that date", () => {
  const late = after(...rollingHeld, ...openDay, lastClosed(), release({ windowNumber: 1 }));
  expect(late.last).toMatchObject({ decision: "refused", reason: "other-day" });
  expect(late.last.outputs.map(short)).toEqual(["HELD"]);
  const gate = { ...gateOpened(), businessDate: nextDate, id: `${tomorrow}:GateOpened:1` };
  const released = after(...rolled, windowOpened(1, nextDate), gate, release({ businessDate: nextDate }));
  expect(released.last.outputs).toMatchObject([{ state: "RELEASED" }, { kind: "dispatch", businessDate: nextDate, closesWith: tomorrow }]);
});

test("the first of two windows' closes moves nothing, nor does the last where it may not roll: it waits for the reconciliation close [D9 roll]", () => {
  expect(after(...rollingHeld, windowClosed(1), dayClosed()).last).toMatchObject({ decision: "refused", reason: "day-not-reconciled" });
  const waiting = after(...held, lastClosed(), dayClosed());
  expect(waiting.last).toMatchObject({ decision: "refused", reason: "day-not-reconciled", outputs: [] });
  const closed = after(...held, lastClosed(), dayReconciled(), dayClosed());
  expect(closed.transaction).toMatchObject({ state: "RECONCILIATION", items: [{ row: 0, cause: "WINDOW_MISSED", day: today }] });
});

test("I10: it rolls as often as it may and then becomes the item of its last date, once", () => {
  const second = [lastClosed(nextDate, third), dayReconciled(nextDate)];
  const once = after(...rolled, ...second, dayClosed(tomorrow));
  expect(once.transaction).toMatchObject({ state: "RECONCILIATION", items: [{ row: 0, cause: "WINDOW_MISSED", day: tomorrow }] });
  expect(once.last.outputs).toMatchObject([{ state: "RECONCILIATION", wasHeld: true, businessDate: nextDate }]);
  const twice = after(debit(), mayRollTwice, ended("A"), lastClosed(), dayClosed(), ...second, dayClosed(tomorrow));
  expect(twice.transaction).toMatchObject({ state: "HELD", businessDate: third, closesWith: `ZA_EFT:${third}`, items: [] });
});

test("the close of the date it left means nothing to it, and a wake for that date is ignored", () => {
  const { transaction, last } = after(...rolled, dayReconciled(), dayClosed());
  expect(last).toMatchObject({ decision: "ignored", outputs: [] });
  expect(transaction).toMatchObject({ state: "HELD", items: [] });
  expect(after(...rolled, dayClosed("ZA_EFT:2020-01-01")).last).toMatchObject({ decision: "refused", reason: "other-day" });
});

test("both markers below one fact are taken in the order of the lane: it rolls, and the close that follows is another day's", () => {
  const { states, last } = after(...rollingHeld, lastClosed(), dayReconciled(), dayClosed());
  expect(states.slice(-2)).toEqual(["HELD", "HELD"]);
  expect(last).toMatchObject({ decision: "applied" });
  // No day closes that way round; the lane's order would count all the same.
  expect(after(...rollingHeld, dayReconciled(), lastClosed(), dayClosed()).states.at(-1)).toBe("RECONCILIATION");
});

test("a debit that is held only after the last close rolls in the same turn, on-us by the acknowledgement and off-us by the verdict", () => {
  const onUs = after(debit(), mayRoll, lastClosed(), ended("A"));
  expect(onUs.last.outputs.map(short)).toEqual(["REPORTED", "HELD", "HELD"]);
  expect(onUs.transaction.transitions.at(-1)).toMatchObject({
    businessDate: nextDate,
    atMs: placeOf(3).appendedAtMs,
    markerOffset: placeOf(2).offset,
  });
  const offUs = after(lastClosed(), offUsDebit(), offUsVerdict({ rollsMax: 1 }));
  expect(offUs.last.outputs.map(short)).toEqual(["ACCEPTED", "HELD", "HELD"]);
});

test("a date without a window lets every held debit go on, whatever it may roll, and counts as one of its rolls [D9 calendar-change]", () => {
  for (const given of [held, rollingHeld]) {
    const { transaction, last } = after(...given, dayVoid(), dayClosed());
    expect(last).toMatchObject({ decision: "applied" });
    expect(transaction).toMatchObject({ state: "HELD", businessDate: nextDate, closesWith: tomorrow });
  }
  const counted = after(...rollingHeld, dayVoid(), dayClosed(), lastClosed(nextDate, third), dayReconciled(nextDate), dayClosed(tomorrow));
  expect(counted.states.at(-1)).toBe("RECONCILIATION");
});

test("the next date may be over too: then it goes on at once, and times never run backwards", () => {
  const early = [dayVoid(nextDate, third), ...rollingHeld, dayVoid(), dayClosed()];
  const { transaction, states } = after(...early);
  expect(states.slice(-3)).toEqual(["HELD", "HELD", "HELD"]);
  expect(transaction).toMatchObject({ businessDate: third, closesWith: `ZA_EFT:${third}` });
  const times = transaction.transitions.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test("what is not yet held on a void date stays for its close: RECEIVED, ACCEPTED and REJECTED become items", () => {
  for (const given of [[debit()], accepted, [debit(), verdict({ verdict: "refused" })]]) {
    const open = after(...given, dayVoid(), dayClosed());
    expect(open.last).toMatchObject({ decision: "refused", reason: "day-not-reconciled" });
    expect(after(...given, dayVoid(), dayReconciled(), dayClosed()).states.at(-1)).toBe("RECONCILIATION");
  }
});

test("I15: dates taken away one after the other move it on only as long as its way to the end has room; then it is an item", () => {
  const dateOf = (index: number): string => `2027-01-${String(index + 1).padStart(2, "0")}`;
  const voids = Array.from({ length: 30 }, (_, index) => dayVoid(dateOf(index), dateOf(index + 1)));
  const start = [debit(), verdict({ businessDate: dateOf(0), closesWith: `ZA_EFT:${dateOf(0)}` }), ended("A")];
  const { transaction } = after(...voids, ...start);
  expect(transaction.state).toBe("HELD");
  expect(transaction.transitions.length).toBe(transitionsMax - 6);
  const { closesWith, businessDate } = transaction;
  const ending = after(...voids, ...start, dayReconciled(businessDate ?? ""), dayClosed(closesWith));
  expect(ending.transaction).toMatchObject({ state: "RECONCILIATION", items: [{ day: closesWith }] });
});

test("a marker that names no later date moves nothing", () => {
  for (const next of ["", date, "2026-11-19"]) {
    expect(after(...rollingHeld, lastClosed(date, next), dayClosed()).states.at(-1)).toBe("HELD");
    expect(after(...rollingHeld, lastClosed(date, next), dayClosed()).transaction.businessDate).toBe(date);
  }
});

test("I3: a replay of the turn in which it rolled gives the same event again", () => {
  const { outcomes, transaction } = tellAll(rolled);
  const again = tellAll(rolled, transaction);
  expect(again.outcomes.map(({ outputs }) => outputs)).toEqual(outcomes.map(({ outputs }) => outputs));
  expect(again.transaction).toEqual(transaction);
});

test("a void date that was given windows again moves nothing that becomes held after that, until it loses them again or the last one closes", () => {
  const again = after(debit(), mayRoll, dayVoid(), dayTimes(2, 900_000), ended("A"));
  expect(again.transaction).toMatchObject({ state: "HELD", businessDate: date });
  const closed = after(debit(), mayRoll, dayVoid(), dayTimes(2, 900_000), ended("A"), lastClosed(), dayClosed());
  expect(closed.transaction).toMatchObject({ state: "HELD", businessDate: nextDate });
  const lost = { ...dayVoid(), id: `${today}:DayVoid:2` };
  expect(after(...held, dayVoid(), dayTimes(2, 900_000), lost, dayClosed()).transaction).toMatchObject({ businessDate: nextDate });
});
