import * as fc from "fast-check";
import { expect, test } from "vitest";
import { dayOutputsAt, decideDay } from "./decide-day.ts";
import { type Day, planVersionsMax, windowsMax } from "./day.ts";
import type { DayFact, Marker, PlannedWindow } from "../fact.ts";
import { date, dayAfter, markerIds, partitionCredits, nextDate, dayPlanned, dayTimeReached, scheme, today } from "../given.fixture.ts";

const opens = (number: number): DayFact => dayTimeReached("window-opens", number);
const closes = (number: number): DayFact => dayTimeReached("window-closes", number);
const reconciliation = dayTimeReached("reconciliation");
const window2At = (opensAtMs: number, closesAtMs: number): DayFact =>
  dayPlanned({ calendarVersion: "v2", windows: [dayPlanned().windows[0] as PlannedWindow, { number: 2, opensAtMs, closesAtMs }] });

test("a whole day is planned, opened, declared, its gate opened when all partitions answered, closed and reconciled", () => {
  const { day, outcomes } = dayAfter(
    [1, dayPlanned()],
    [100, opens(1)],
    [101, partitionCredits(0)],
    [102, partitionCredits(2)],
    [103, partitionCredits(1)],
    [200, closes(1)],
    [300, opens(2)],
    [400, closes(2)],
    [500, reconciliation],
  );
  expect(outcomes.map(markerIds)).toEqual([
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

test("only DayTimes and DayReconciled also go to dispatch", () => {
  const { outcomes } = dayAfter([1, dayPlanned()], [100, opens(1)], [200, closes(1)], [500, reconciliation]);
  const marked = outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.alsoToDispatch).map(({ marker }) => marker.kind));
  expect(marked).toEqual(["DayTimes", "DayReconciled"]);
});

test("markers show the planned close, the last window, the next business date and who declared", () => {
  const { day } = dayAfter([1, dayPlanned()], [100, opens(1)], [400, closes(2)]);
  const markers = day?.markers.map(({ marker }) => marker);
  expect(markers).toMatchObject([
    { kind: "DayTimes", number: 1, reconciliationAtMs: 500, calendarVersion: "v1", scheme, businessDate: date },
    { kind: "WindowOpened", number: 1 },
    { kind: "CreditsDeclared", number: 1, bank: null, declaredBy: "clock" },
    { kind: "WindowClosed", number: 1, isLast: false },
    { kind: "WindowClosed", number: 2, isLast: true, nextBusinessDate: nextDate },
  ]);
});

test("a date without a window is void, and is reconciled all the same for what names it and is not held", () => {
  const { day, outcomes } = dayAfter(
    [1, dayPlanned({ windows: [], isWorkingDay: false })],
    [499, reconciliation],
    [500, opens(1)],
    [500, reconciliation],
  );
  expect(outcomes.map(markerIds)).toEqual([["DayVoid:1"], [], [], ["DayReconciled:1"]]);
  expect(outcomes.map(({ reason }) => reason)).toEqual([null, "too-early", "no-such-window", null]);
  expect(day).toMatchObject({ isVoided: true, reconciledAtMs: 500 });
  expect(day?.markers[0]).toMatchObject({ marker: { nextBusinessDate: nextDate } });
});

test("a fact before the plan, or of another day, changes nothing", () => {
  expect(dayAfter([100, opens(1)]).outcomes).toMatchObject([{ decision: "refused", reason: "not-planned", day: null }]);
  const other = dayAfter([1, dayPlanned()], [100, { ...dayTimeReached("window-opens", 1), businessDate: nextDate }]);
  expect(other.outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "other-key", outputs: [] });
});

test("I9: a DayTimeReached appended before its time has no effect and can be appended again [D9 processing-window]", () => {
  const { outcomes } = dayAfter(
    [1, dayPlanned()],
    [99, opens(1)],
    [100, opens(1)],
    [199, closes(1)],
    [200, closes(1)],
    [499, reconciliation],
  );
  expect(outcomes.map(({ reason }) => reason)).toEqual([null, "too-early", null, "too-early", null, "too-early"]);
  expect(outcomes.map(markerIds)).toEqual([["DayTimes:1"], [], ["WindowOpened:1", "CreditsDeclared:1"], [], ["WindowClosed:1"], []]);
});

test("I9: a repeated time has no effect", () => {
  const { outcomes } = dayAfter([1, dayPlanned()], [100, opens(1)], [101, opens(1)], [200, closes(1)], [201, closes(1)], [202, opens(1)]);
  expect(outcomes.filter((_, index) => [2, 4, 5].includes(index))).toMatchObject(
    Array.from({ length: 3 }, () => ({ decision: "ignored", outputs: [] })),
  );
});

test("I9: a late opening still opens inside the window; after the closing time the window is recorded as missed and closes all the same", () => {
  expect(
    dayAfter([1, dayPlanned()], [199, opens(1)])
      .outcomes.map(markerIds)
      .at(-1),
  ).toEqual(["WindowOpened:1", "CreditsDeclared:1"]);
  const { day, outcomes } = dayAfter([1, dayPlanned()], [200, opens(1)]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "applied", reason: "window-missed" });
  expect(outcomes.map(markerIds).at(-1)).toEqual(["WindowClosed:1"]);
  expect(day).toMatchObject({ opened: [], missed: [1], closed: [1] });
});

test("the clock declares credits final once, at the first window that opens", () => {
  const { outcomes } = dayAfter([1, dayPlanned()], [200, opens(1)], [300, opens(2)]);
  expect(outcomes.map(markerIds)).toEqual([["DayTimes:1"], ["WindowClosed:1"], ["WindowOpened:2", "CreditsDeclared:1"]]);
  const byBank = dayAfter([1, dayPlanned({ creditsFinal: "bank" })], [100, opens(1)]);
  expect(byBank.outcomes.map(markerIds).at(-1)).toEqual(["WindowOpened:1"]);
});

test("I9: a window whose close was not appended is closed before the next opens", () => {
  const { outcomes } = dayAfter([1, dayPlanned()], [100, opens(1)], [300, opens(2)]);
  expect(outcomes.map(markerIds).at(-1)).toEqual(["WindowClosed:1", "WindowOpened:2"]);
});

test("I9: the reconciliation close first closes the windows that are still open or were missed", () => {
  const { outcomes, day } = dayAfter([1, dayPlanned()], [300, opens(2)], [500, reconciliation], [501, reconciliation], [502, closes(2)]);
  expect(outcomes.map(markerIds)).toEqual([
    ["DayTimes:1"],
    ["WindowClosed:1", "WindowOpened:2", "CreditsDeclared:1"],
    ["WindowClosed:2", "DayReconciled:1"],
    [],
    [],
  ]);
  expect(day).toMatchObject({ missed: [1], closed: [1, 2], reconciledAtMs: 500 });
});

test("the first plan of a version wins; a later version changes only times not reached, and is announced", () => {
  const same = dayAfter([1, dayPlanned()], [2, dayPlanned({ reconciliationAtMs: 900 })]);
  expect(same.outcomes.at(-1)).toMatchObject({ decision: "ignored", reason: null, outputs: [] });
  const later = dayPlanned({
    calendarVersion: "v2",
    windows: [
      { number: 1, opensAtMs: 110, closesAtMs: 250 },
      { number: 2, opensAtMs: 310, closesAtMs: 450 },
    ],
    cutOffAtMs: 360,
    reconciliationAtMs: 600,
  });
  const { day, outcomes } = dayAfter([1, dayPlanned()], [100, opens(1)], [150, later], [151, dayPlanned()]);
  expect(outcomes.map(markerIds).slice(2)).toEqual([["DayTimes:2"], []]);
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

test("a later version with the same times is accepted without a marker", () => {
  const { day, outcomes } = dayAfter([1, dayPlanned()], [2, dayPlanned({ calendarVersion: "v2" })]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "ignored", outputs: [] });
  expect(day?.planVersions).toEqual(["v1", "v2"]);
});

test.each([
  { reason: "plan-out-of-order", atMs: 2, later: window2At(150, 400) },
  { reason: "plan-out-of-order", atMs: 2, later: window2At(300, 300) },
  { reason: "plan-out-of-order", atMs: 2, later: dayPlanned({ calendarVersion: "v2", reconciliationAtMs: 399 }) },
])("a later version is refused with $reason", ({ reason, atMs, later }) => {
  const { day, outcomes } = dayAfter([1, dayPlanned()], [atMs, later]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "refused", reason, outputs: [] });
  expect(day?.plan).toEqual(dayPlanned());
});

test("a first plan out of order, or with too many windows, is refused and leaves no day", () => {
  const windows = Array.from({ length: windowsMax + 1 }, (_, index) => ({
    number: index + 1,
    opensAtMs: index * 10,
    closesAtMs: index * 10 + 5,
  }));
  for (const plan of [dayPlanned({ reconciliationAtMs: 1 }), dayPlanned({ windows, reconciliationAtMs: 10_000 })]) {
    expect(dayAfter([1, plan])).toMatchObject({ day: null, outcomes: [{ decision: "refused", reason: "plan-out-of-order" }] });
  }
});

test("a window can be added or dropped while its times are ahead, but not once the last window is closed", () => {
  const third = [...dayPlanned().windows, { number: 3, opensAtMs: 410, closesAtMs: 450 }];
  const added = dayAfter([1, dayPlanned()], [390, dayPlanned({ calendarVersion: "v2", windows: third })]);
  expect(added.day?.plan.windows.map(({ number }) => number)).toEqual([1, 2, 3]);
  const tooLate = dayAfter([1, dayPlanned()], [400, closes(2)], [401, dayPlanned({ calendarVersion: "v2", windows: third })]);
  expect(tooLate.day?.plan.windows.map(({ number }) => number)).toEqual([1, 2]);
  const dropped = dayAfter([1, dayPlanned()], [150, dayPlanned({ calendarVersion: "v2", windows: dayPlanned().windows.slice(0, 1) })]);
  expect(dropped.day?.plan.windows.map(({ number }) => number)).toEqual([1]);
  const begun = dayAfter([1, dayPlanned()], [150, dayPlanned({ calendarVersion: "v2", windows: dayPlanned().windows.slice(1) })]);
  expect(begun.day?.plan.windows.map(({ number }) => number)).toEqual([1, 2]);
});

test("a void date that a later version gives windows becomes a day", () => {
  const { outcomes } = dayAfter([1, dayPlanned({ windows: [] })], [2, dayPlanned({ calendarVersion: "v2" })], [100, opens(1)]);
  expect(outcomes.map(markerIds)).toEqual([["DayVoid:1"], ["DayTimes:1"], ["WindowOpened:1", "CreditsDeclared:1"]]);
});

test("a plan after the day's end is refused", () => {
  const { outcomes } = dayAfter(
    [1, dayPlanned()],
    [500, reconciliation],
    [501, dayPlanned({ calendarVersion: "v2", reconciliationAtMs: 900 })],
  );
  expect(outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "day-over", outputs: [] });
});

// ---- any sequence

const numbers = fc.constantFrom(1, 2);
const anyFact: fc.Arbitrary<DayFact> = fc.oneof(
  { weight: 3, arbitrary: numbers.map(opens) },
  { weight: 3, arbitrary: numbers.map(closes) },
  { weight: 1, arbitrary: fc.constant(reconciliation) },
  { weight: 3, arbitrary: fc.tuple(fc.nat(3), fc.subarray(["a", "b"])).map(([partition, banks]) => partitionCredits(partition, banks)) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(30), fc.nat(150), fc.nat(150), fc.nat(150), fc.nat(150)).map(([version, a, b, c, d]) =>
      dayPlanned({
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
  return [[5, dayPlanned()] as const, ...steps.map(([gapMs, fact]) => [(atMs += gapMs), fact] as const)];
});

test("I9: each window opens at most once and closes at most once, in order, never before its planned time; ids are never used twice", () => {
  fc.assert(
    fc.property(days, (steps) => {
      const { day, outcomes } = dayAfter(...steps);
      const markers = day?.markers ?? [];
      expect(new Set(markers.map(({ marker }) => marker.id)).size).toBe(markers.length);
      const order = markers
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

/** Checks a marker's time against the plan in force when the marker was made. */
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

test("I15: the state of a day is bounded, however often the day is planned", () => {
  const plans = Array.from(
    { length: 100 },
    (_, index) => [index, dayPlanned({ calendarVersion: `v${index}`, reconciliationAtMs: 500 + index })] as const,
  );
  const { day } = dayAfter(...plans);
  expect(day?.planVersions).toHaveLength(planVersionsMax);
  expect(day?.markers).toHaveLength(planVersionsMax);
  expect(dayOutputsAt(day as Day, 3n)).toHaveLength(1);
});
