import * as fc from "fast-check";
import { expect, test } from "vitest";
import { dayOutputsAt, decideDay } from "./decide-day.ts";
import type { Day } from "./day.ts";
import { planVersionsMax, windowsMax } from "./day.ts";
import type { DayFact, Marker, PlannedWindow } from "./fact.ts";
import { date, dayAfter, ids, laneCredits, nextDate, planned, reached, scheme, today } from "./given.ts";

const opens = (number: number): DayFact => reached("window-opens", number);
const closes = (number: number): DayFact => reached("window-closes", number);
const reconciliation = reached("reconciliation");
const window2At = (opensAtMs: number, closesAtMs: number): DayFact =>
  planned({ calendarVersion: "v2", windows: [planned().windows[0] as PlannedWindow, { number: 2, opensAtMs, closesAtMs }] });

test("a whole day: planned, opened, credits declared, gate open when all lanes answered, closed, reconciled", () => {
  const { day, outcomes } = dayAfter(
    [1, planned()],
    [100, opens(1)],
    [101, laneCredits(0)],
    [102, laneCredits(2)],
    [103, laneCredits(1)],
    [200, closes(1)],
    [300, opens(2)],
    [400, closes(2)],
    [500, reconciliation],
  );
  expect(outcomes.map(ids)).toEqual([
    ["DayTimes:1"],
    ["WindowOpened:1", "CreditsDeclared:1"],
    [],
    [],
    ["GateOpened:1"],
    ["WindowClosed:1"],
    ["WindowOpened:2"],
    ["WindowClosed:2"],
    ["DayReconciled:1"],
  ]);
  expect(outcomes.every((outcome) => outcome.decision === "applied")).toBe(true);
  expect(day).toMatchObject({ opened: [1, 2], closed: [1, 2], missed: [], isGateOpen: true, reconciledAtMs: 500, version: 9, applied: 8n });
});

test("DayTimes and DayReconciled also go to dispatch, no other marker does", () => {
  const { outcomes } = dayAfter([1, planned()], [100, opens(1)], [200, closes(1)], [500, reconciliation]);
  const marked = outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.alsoToDispatch).map(({ marker }) => marker.kind));
  expect(marked).toEqual(["DayTimes", "DayReconciled"]);
});

test("markers say what their readers need: the planned close, the last window, the next business date, who declared", () => {
  const { day } = dayAfter([1, planned()], [100, opens(1)], [400, closes(2)]);
  const markers = day?.told.map(({ marker }) => marker);
  expect(markers).toMatchObject([
    { kind: "DayTimes", number: 1, reconciliationAtMs: 500, calendarVersion: "v1", scheme, businessDate: date },
    { kind: "WindowOpened", number: 1 },
    { kind: "CreditsDeclared", number: 1, bank: null, declaredBy: "clock" },
    { kind: "WindowClosed", number: 1, isLast: false },
    { kind: "WindowClosed", number: 2, isLast: true, nextBusinessDate: nextDate },
  ]);
});

test("a date without a window is void; it is reconciled all the same, for what names it and is not held", () => {
  const { day, outcomes } = dayAfter(
    [1, planned({ windows: [], isWorkingDay: false })],
    [499, reconciliation],
    [500, opens(1)],
    [500, reconciliation],
  );
  expect(outcomes.map(ids)).toEqual([["DayVoid:1"], [], [], ["DayReconciled:1"]]);
  expect(outcomes.map(({ reason }) => reason)).toEqual([null, "too-early", "no-such-window", null]);
  expect(day).toMatchObject({ isVoided: true, reconciledAtMs: 500 });
  expect(day?.told[0]).toMatchObject({ marker: { nextBusinessDate: nextDate } });
});

test("nothing happens to a day before it is planned, nor to one by another day's facts", () => {
  expect(dayAfter([100, opens(1)]).outcomes).toMatchObject([{ decision: "refused", reason: "not-planned", day: null }]);
  const other = dayAfter([1, planned()], [100, { ...reached("window-opens", 1), businessDate: nextDate }]);
  expect(other.outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "other-key", outputs: [] });
});

test("I9: a time reached too early, by the fact's own append time, has no effect; it can be appended again", () => {
  const { outcomes } = dayAfter([1, planned()], [99, opens(1)], [100, opens(1)], [199, closes(1)], [200, closes(1)], [499, reconciliation]);
  expect(outcomes.map(({ reason }) => reason)).toEqual([null, "too-early", null, "too-early", null, "too-early"]);
  expect(outcomes.map(ids)).toEqual([["DayTimes:1"], [], ["WindowOpened:1", "CreditsDeclared:1"], [], ["WindowClosed:1"], []]);
});

test("I9: a repeated time has no effect", () => {
  const { outcomes } = dayAfter([1, planned()], [100, opens(1)], [101, opens(1)], [200, closes(1)], [201, closes(1)], [202, opens(1)]);
  expect(outcomes.filter((_, index) => [2, 4, 5].includes(index))).toMatchObject(
    Array.from({ length: 3 }, () => ({ decision: "ignored", outputs: [] })),
  );
});

test("I9: a late opening still opens while it is inside; after its closing time the window is missed, recorded, and closes all the same", () => {
  expect(
    dayAfter([1, planned()], [199, opens(1)])
      .outcomes.map(ids)
      .at(-1),
  ).toEqual(["WindowOpened:1", "CreditsDeclared:1"]);
  const { day, outcomes } = dayAfter([1, planned()], [200, opens(1)]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "applied", reason: "window-missed" });
  expect(outcomes.map(ids).at(-1)).toEqual(["WindowClosed:1"]);
  expect(day).toMatchObject({ opened: [], missed: [1], closed: [1] });
});

test("credits are declared by the clock once, at the first window that opens", () => {
  const { outcomes } = dayAfter([1, planned()], [200, opens(1)], [300, opens(2)]);
  expect(outcomes.map(ids)).toEqual([["DayTimes:1"], ["WindowClosed:1"], ["WindowOpened:2", "CreditsDeclared:1"]]);
  const byBank = dayAfter([1, planned({ creditsFinal: "bank" })], [100, opens(1)]);
  expect(byBank.outcomes.map(ids).at(-1)).toEqual(["WindowOpened:1"]);
});

test("I9: a window whose close was not appended is closed before the next opens", () => {
  const { outcomes } = dayAfter([1, planned()], [100, opens(1)], [300, opens(2)]);
  expect(outcomes.map(ids).at(-1)).toEqual(["WindowClosed:1", "WindowOpened:2"]);
});

test("I9: the reconciliation closes what is still open, and what was missed, first", () => {
  const { outcomes, day } = dayAfter([1, planned()], [300, opens(2)], [500, reconciliation], [501, reconciliation], [502, closes(2)]);
  expect(outcomes.map(ids)).toEqual([
    ["DayTimes:1"],
    ["WindowClosed:1", "WindowOpened:2", "CreditsDeclared:1"],
    ["WindowClosed:2", "DayReconciled:1"],
    [],
    [],
  ]);
  expect(day).toMatchObject({ missed: [1], closed: [1, 2], reconciledAtMs: 500 });
});

test("the first plan of a version wins; a later version changes only times not reached, and is announced", () => {
  const same = dayAfter([1, planned()], [2, planned({ reconciliationAtMs: 900 })]);
  expect(same.outcomes.at(-1)).toMatchObject({ decision: "ignored", reason: null, outputs: [] });
  const later = planned({
    calendarVersion: "v2",
    windows: [
      { number: 1, opensAtMs: 110, closesAtMs: 250 },
      { number: 2, opensAtMs: 310, closesAtMs: 450 },
    ],
    cutOffAtMs: 360,
    reconciliationAtMs: 600,
  });
  const { day, outcomes } = dayAfter([1, planned()], [100, opens(1)], [150, later], [151, planned()]);
  expect(outcomes.map(ids).slice(2)).toEqual([["DayTimes:2"], []]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "ignored", reason: "plan-superseded" });
  expect(day?.plan).toMatchObject({
    windows: [
      { number: 1, opensAtMs: 100, closesAtMs: 250 },
      { number: 2, opensAtMs: 310, closesAtMs: 450 },
    ],
    cutOffAtMs: 360,
    reconciliationAtMs: 600,
  });
  expect(outcomes[2]?.outputs).toMatchObject([{ marker: { reconciliationAtMs: 600, calendarVersion: "v2" } }]);
});

test("a later version with the same times is taken without a marker", () => {
  const { day, outcomes } = dayAfter([1, planned()], [2, planned({ calendarVersion: "v2" })]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "ignored", outputs: [] });
  expect(day?.planVersions).toEqual(["v1", "v2"]);
});

test.each([
  { reason: "plan-out-of-order", atMs: 2, later: window2At(150, 400) },
  { reason: "plan-out-of-order", atMs: 2, later: window2At(300, 300) },
  { reason: "plan-out-of-order", atMs: 2, later: planned({ calendarVersion: "v2", reconciliationAtMs: 399 }) },
])("a later version is refused: $reason", ({ reason, atMs, later }) => {
  const { day, outcomes } = dayAfter([1, planned()], [atMs, later]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "refused", reason, outputs: [] });
  expect(day?.plan).toEqual(planned());
});

test("a first plan out of order, or with too many windows, is refused and leaves no day", () => {
  const windows = Array.from({ length: windowsMax + 1 }, (_, index) => ({
    number: index + 1,
    opensAtMs: index * 10,
    closesAtMs: index * 10 + 5,
  }));
  for (const plan of [planned({ reconciliationAtMs: 1 }), planned({ windows, reconciliationAtMs: 10_000 })]) {
    expect(dayAfter([1, plan])).toMatchObject({ day: null, outcomes: [{ decision: "refused", reason: "plan-out-of-order" }] });
  }
});

test("a window can be added or dropped while its times lie ahead, not once the last window is closed", () => {
  const third = [...planned().windows, { number: 3, opensAtMs: 410, closesAtMs: 450 }];
  const added = dayAfter([1, planned()], [390, planned({ calendarVersion: "v2", windows: third })]);
  expect(added.day?.plan.windows.map(({ number }) => number)).toEqual([1, 2, 3]);
  const tooLate = dayAfter([1, planned()], [400, closes(2)], [401, planned({ calendarVersion: "v2", windows: third })]);
  expect(tooLate.day?.plan.windows.map(({ number }) => number)).toEqual([1, 2]);
  const dropped = dayAfter([1, planned()], [150, planned({ calendarVersion: "v2", windows: planned().windows.slice(0, 1) })]);
  expect(dropped.day?.plan.windows.map(({ number }) => number)).toEqual([1]);
  const begun = dayAfter([1, planned()], [150, planned({ calendarVersion: "v2", windows: planned().windows.slice(1) })]);
  expect(begun.day?.plan.windows.map(({ number }) => number)).toEqual([1, 2]);
});

test("a void date that a later version gives windows becomes a day", () => {
  const { outcomes } = dayAfter([1, planned({ windows: [] })], [2, planned({ calendarVersion: "v2" })], [100, opens(1)]);
  expect(outcomes.map(ids)).toEqual([["DayVoid:1"], ["DayTimes:1"], ["WindowOpened:1", "CreditsDeclared:1"]]);
});

test("a plan after the day's end is refused", () => {
  const { outcomes } = dayAfter([1, planned()], [500, reconciliation], [501, planned({ calendarVersion: "v2", reconciliationAtMs: 900 })]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "day-over", outputs: [] });
});

// ---- any sequence

const numbers = fc.constantFrom(1, 2);
const anyFact: fc.Arbitrary<DayFact> = fc.oneof(
  { weight: 3, arbitrary: numbers.map(opens) },
  { weight: 3, arbitrary: numbers.map(closes) },
  { weight: 1, arbitrary: fc.constant(reconciliation) },
  { weight: 3, arbitrary: fc.tuple(fc.nat(3), fc.subarray(["a", "b"])).map(([lane, banks]) => laneCredits(lane, banks)) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(30), fc.nat(150), fc.nat(150), fc.nat(150), fc.nat(150)).map(([version, a, b, c, d]) =>
      planned({
        calendarVersion: `v${version}`,
        windows: [
          { number: 1, opensAtMs: 50 + a, closesAtMs: 51 + a + b },
          { number: 2, opensAtMs: 51 + a + b + c, closesAtMs: 52 + a + b + c + d },
        ],
        reconciliationAtMs: 400 + d,
      }),
    ),
  },
);
const days = fc.array(fc.tuple(fc.nat(40), anyFact), { maxLength: 60, size: "medium" }).map((steps) => {
  let atMs = 10;
  return [[5, planned()] as const, ...steps.map(([gapMs, fact]) => [(atMs += gapMs), fact] as const)];
});

test("I9: each window opens at most once and closes at most once, in order, never before its planned time; ids are never used twice", () => {
  fc.assert(
    fc.property(days, (steps) => {
      const { day, outcomes } = dayAfter(...steps);
      const told = day?.told ?? [];
      expect(new Set(told.map(({ marker }) => marker.id)).size).toBe(told.length);
      const order = told
        .map(({ marker }) => marker)
        .filter(({ kind }) => kind === "WindowOpened" || kind === "WindowClosed" || kind === "DayReconciled");
      const legal = ["WindowOpened:1", "WindowClosed:1", "WindowOpened:2", "WindowClosed:2", "DayReconciled:1"];
      const positions = order.map(({ id }) => legal.indexOf(id.slice(today.length + 1)));
      expect(positions).toEqual(positions.toSorted((a, b) => a - b));
      expect(day?.closed).toEqual(day?.reconciledAtMs === null ? day.closed : [1, 2]);
      const early = outcomes.flatMap(({ day, outputs }, index) =>
        outputs.filter(({ marker }) => !isInTime(marker, day, steps[index]?.[0] ?? 0)),
      );
      expect(early).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

/** By the plan in force when the marker was made. */
function isInTime(marker: Marker, day: Day | null, atMs: number): boolean {
  const window = day?.plan.windows.find(({ number }) => "number" in marker && number === marker.number);
  if (marker.kind === "WindowOpened") return window !== undefined && atMs >= window.opensAtMs && atMs < window.closesAtMs;
  if (marker.kind === "WindowClosed") return window !== undefined && atMs >= window.closesAtMs;
  return marker.kind !== "DayReconciled" || atMs >= (day?.plan.reconciliationAtMs ?? Number.POSITIVE_INFINITY);
}

test("I3: a replayed record of a day gives its first markers again and changes nothing", () => {
  fc.assert(
    fc.property(days, (steps) => {
      const { day, outcomes } = dayAfter(...steps);
      for (const [index, first] of outcomes.entries()) {
        const [appendedAtMs, fact] = steps[index] ?? [0, reconciliation];
        const again = decideDay(today, day, fact, { offset: BigInt(index), appendedAtMs });
        expect(again).toEqual({ decision: "replayed", reason: null, day, outputs: first.outputs });
      }
    }),
    { numRuns: 100 },
  );
});

test("I15: what a day keeps is bounded, however often it is planned", () => {
  const plans = Array.from(
    { length: 100 },
    (_, index) => [index, planned({ calendarVersion: `v${index}`, reconciliationAtMs: 500 + index })] as const,
  );
  const { day } = dayAfter(...plans);
  expect(day?.planVersions).toHaveLength(planVersionsMax);
  expect(day?.told).toHaveLength(planVersionsMax);
  expect(dayOutputsAt(day as Day, 3n)).toHaveLength(1);
});
