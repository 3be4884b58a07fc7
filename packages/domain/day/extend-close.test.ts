// A close that an operator extends, and a date that loses its windows: docs/spec/decisions.md D9.12,
// `D9 void-date`.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Day, extensionsMax } from "./day.ts";
import { decideDay } from "./decide-day.ts";
import type { Marker } from "../fact.ts";
import { dayAfter, markerIds, nextDate, dayPlanned, dayTimeReached, today } from "../given.fixture.ts";
import { extendClose } from "../operators.fixture.ts";
import { extensionMsMax } from "./extend-close.ts";

const opens = (number: number) => dayTimeReached("window-opens", number);
const closes = (number: number) => dayTimeReached("window-closes", number);
const reconciliation = dayTimeReached("reconciliation");

test("I9: a window whose close was extended does not close before the new time, and closes at it [D9 extend]", () => {
  const { day, outcomes } = dayAfter(
    [1, dayPlanned()],
    [100, opens(1)],
    [199, extendClose(1, 250)],
    [200, closes(1)],
    [249, closes(1)],
    [250, closes(1)],
  );
  expect(outcomes.slice(2).map(({ reason }) => reason)).toEqual([null, "too-early", "too-early", null]);
  expect(outcomes.slice(2).map(markerIds)).toEqual([[], [], [], ["WindowClosed:1"]]);
  expect(day?.extensions).toMatchObject([
    { windowNumber: 1, closesAtMs: 250, atMs: 199, action: { id: "extend-1-250", operator: "thandi" } },
  ]);
  expect(day?.decisions).toMatchObject([{ kind: "CloseExtensionRequested", result: "applied", why: null, offset: 2n }]);
});

test("an extended reconciliation close is announced to partitions and dispatchers, and happens at its new time", () => {
  const { outcomes } = dayAfter(
    [1, dayPlanned()],
    [450, extendClose(0, 600)],
    [500, reconciliation],
    [599, reconciliation],
    [600, reconciliation],
  );
  expect(outcomes.map(markerIds)).toEqual([
    ["DayTimes:1"],
    ["DayTimes:2"],
    [],
    [],
    ["WindowClosed:1", "WindowClosed:2", "DayReconciled:1"],
  ]);
  expect(outcomes[1]?.outputs).toMatchObject([{ alsoToDispatch: true, marker: { reconciliationAtMs: 600, calendarVersion: "v1" } }]);
  expect(outcomes.slice(2, 4).map(({ reason }) => reason)).toEqual(["too-early", "too-early"]);
});

test("an extension and the close itself never both win: the first in the journal does, each by its own append time", () => {
  const closed = dayAfter([1, dayPlanned()], [100, opens(1)], [200, closes(1)], [200, extendClose(1, 250)]);
  expect(closed.outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "close-reached", outputs: [] });
  expect(closed.day?.plan).toEqual(dayPlanned());
  const late = dayAfter([1, dayPlanned()], [100, opens(1)], [200, extendClose(1, 250)], [201, closes(1)]);
  expect(late.outcomes.slice(2)).toMatchObject([
    { reason: "close-reached" },
    { decision: "applied", outputs: [{ marker: { kind: "WindowClosed" } }] },
  ]);
  const over = dayAfter([1, dayPlanned()], [500, reconciliation], [501, extendClose(0, 600)]);
  expect(over.outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "day-over" });
  expect(dayAfter([1, dayPlanned()], [500, extendClose(0, 600)]).outcomes.at(-1)).toMatchObject({ reason: "close-reached" });
});

test.each([
  { reason: "no-such-window", fact: extendClose(3, 450) },
  { reason: "not-later", fact: extendClose(1, 200) },
  { reason: "plan-out-of-order", fact: extendClose(1, 301) },
  { reason: "plan-out-of-order", fact: extendClose(2, 501) },
  { reason: "too-far", fact: extendClose(0, 501 + extensionMsMax) },
])("an extension is refused with $reason and noted", ({ reason, fact }) => {
  const { day, outcomes } = dayAfter([1, dayPlanned()], [50, fact]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "refused", reason, outputs: [] });
  expect(day?.plan).toEqual(dayPlanned());
  expect(day?.extensions).toEqual([]);
  expect(day?.decisions).toMatchObject([{ result: "refused", why: reason, action: fact.action }]);
});

test("the reconciliation close is extended first, then the last window, by a whole day over the next business date's opening", () => {
  const { day, outcomes } = dayAfter([1, dayPlanned()], [50, extendClose(0, 500 + extensionMsMax)], [51, extendClose(2, 900)]);
  expect(outcomes.slice(1).map(({ decision }) => decision)).toEqual(["applied", "applied"]);
  expect(day?.plan.windows.at(-1)).toMatchObject({ opensAtMs: 300, closesAtMs: 900 });
});

test("a repeated extension counts once, and a second one must be later still", () => {
  const again = dayAfter([1, dayPlanned()], [50, extendClose(1, 250, "x")], [51, extendClose(1, 280, "x")], [52, extendClose(1, 240, "y")]);
  expect(again.outcomes.slice(2)).toMatchObject([
    { decision: "ignored", reason: "already-decided" },
    { decision: "refused", reason: "not-later" },
  ]);
  expect(again.day?.decisions.map(({ action }) => action.id)).toEqual(["x", "y"]);
});

test("a later calendar version never brings an extended close forward, but may move it later", () => {
  const v2 = dayPlanned({ calendarVersion: "v2", reconciliationAtMs: 450 });
  const { day } = dayAfter([1, dayPlanned()], [50, extendClose(1, 250)], [51, extendClose(0, 600)], [52, v2]);
  expect(day?.plan).toMatchObject({ windows: [{ closesAtMs: 250 }, { closesAtMs: 400 }], reconciliationAtMs: 600, calendarVersion: "v2" });
  const v3 = dayPlanned({ calendarVersion: "v3", reconciliationAtMs: 700 });
  expect(dayAfter([1, dayPlanned()], [51, extendClose(0, 600)], [52, v3]).day?.plan.reconciliationAtMs).toBe(700);
});

test("I15: extensions of a day are bounded", () => {
  const steps = Array.from({ length: extensionsMax + 2 }, (_, index) => [10 + index, extendClose(0, 501 + index)] as const);
  const { day, outcomes } = dayAfter([1, dayPlanned()], ...steps);
  expect(day?.extensions).toHaveLength(extensionsMax);
  expect(outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "too-many-extensions" });
});

// ---- void dates

const removed = dayPlanned({ calendarVersion: "v2", windows: [], isWorkingDay: false, reconciliationAtMs: 900, cutOffAtMs: 800 });

test("a date that loses its windows before any opened is void: announced once, never opened, and reconciled at the time it had [D9 void-date]", () => {
  const { day, outcomes } = dayAfter([1, dayPlanned()], [99, removed], [100, opens(1)], [499, reconciliation], [500, reconciliation]);
  expect(outcomes.map(markerIds)).toEqual([["DayTimes:1"], ["DayVoid:1"], [], [], ["DayReconciled:1"]]);
  expect(outcomes.map(({ reason }) => reason)).toEqual([null, null, "no-such-window", "too-early", null]);
  expect(outcomes[1]?.outputs).toMatchObject([{ marker: { kind: "DayVoid", nextBusinessDate: nextDate } }]);
  expect(day).toMatchObject({ isVoided: true, reconciledAtMs: 500, plan: { windows: [], reconciliationAtMs: 500, cutOffAtMs: 350 } });
});

test("a date whose first window has opened, or should have opened, keeps its reached times", () => {
  for (const begun of [[100, opens(1)] as const, [100, opens(2)] as const]) {
    const { day } = dayAfter([1, dayPlanned()], begun, [101, removed]);
    expect(day).toMatchObject({ isVoided: false, plan: { windows: [{ number: 1, closesAtMs: 200 }] } });
  }
});

test("a plan that leaves held debits no window at all is refused [D9 calendar-change]", () => {
  const { day, outcomes } = dayAfter([1, dayPlanned()], [50, { ...removed, nextBusinessDate: null }]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "plan-leaves-no-window", outputs: [] });
  expect(day).toMatchObject({ isVoided: false, plan: dayPlanned() });
});

test("a plan that removes the only window ahead is refused if an earlier one has closed, and accepted before that close", () => {
  const first = dayPlanned({ calendarVersion: "v2", windows: dayPlanned().windows.slice(0, 1) });
  const late = dayAfter([1, dayPlanned()], [100, opens(1)], [200, closes(1)], [201, first]);
  expect(late.outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "plan-leaves-no-window" });
  const early = dayAfter([1, dayPlanned()], [100, opens(1)], [199, first], [200, closes(1)]);
  expect(early.outcomes.at(-1)?.outputs).toMatchObject([{ marker: { kind: "WindowClosed", isLast: true } }]);
});

test("a void date refuses operators' requests, may get its windows back, and may lose them again", () => {
  const back = dayPlanned({ calendarVersion: "v3" });
  const { day, outcomes } = dayAfter(
    [1, dayPlanned()],
    [50, removed],
    [51, extendClose(0, 600)],
    [52, back],
    [53, { ...removed, calendarVersion: "v4" }],
  );
  expect(outcomes.map(markerIds)).toEqual([["DayTimes:1"], ["DayVoid:1"], [], ["DayTimes:2"], ["DayVoid:2"]]);
  expect(outcomes[2]).toMatchObject({ decision: "refused", reason: "no-such-window" });
  expect(day).toMatchObject({ isVoided: true, plan: { reconciliationAtMs: 500 } });
});

test("I3, I9: whatever is extended, planned and reached, no close comes before the time in force, and a replay changes nothing", () => {
  const fact = fc.oneof(
    fc.tuple(fc.nat(2), fc.nat(700), fc.nat(9)).map(([number, atMs, id]) => extendClose(number, atMs, `a${id}`)),
    fc.constantFrom(opens(1), opens(2), closes(1), closes(2), reconciliation, removed, dayPlanned({ calendarVersion: "v3" })),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(60), fact), { maxLength: 40 }), (gaps) => {
      let atMs = 5;
      const steps = gaps.map(([gapMs, one]) => [(atMs += gapMs), one] as const);
      const { day, outcomes } = dayAfter([1, dayPlanned()], ...steps);
      for (const [index, outcome] of outcomes.entries()) {
        const [appendedAtMs, one] = [[1, dayPlanned()] as const, ...steps][index] ?? [0, reconciliation];
        expect(outcome.outputs.filter(({ marker }) => appendedAtMs < closeInForce(outcome.day, marker))).toEqual([]);
        const again = decideDay(today, day, one, { offset: BigInt(index), appendedAtMs });
        expect(again).toEqual({ decision: "replayed", reason: null, day, outputs: outcome.outputs });
      }
      const markers = day?.markers.map(({ marker }) => marker.id) ?? [];
      expect(new Set(markers).size).toBe(markers.length);
    }),
    { numRuns: 300 },
  );
});

/** The close in force when the marker was made; any time for a marker that is no close. */
function closeInForce(day: Day | null, marker: Marker): number {
  if (marker.kind === "DayReconciled") return day?.plan.reconciliationAtMs ?? Number.POSITIVE_INFINITY;
  if (marker.kind !== "WindowClosed") return Number.NEGATIVE_INFINITY;
  return day?.plan.windows.find(({ number }) => number === marker.number)?.closesAtMs ?? Number.POSITIVE_INFINITY;
}
