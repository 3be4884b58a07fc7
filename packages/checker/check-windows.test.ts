// The windows of a day: histories that the checker must reject, and odd but legal ones that it must accept.

import { expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import { atMsOf, day, marker, record } from "./given.ts";
import type { RecordEntry } from "./history.ts";
import type { PlannedDay } from "./i9-window-once.ts";

const plannedDay: PlannedDay = {
  day,
  windows: [
    { number: 1, opensAtMs: atMsOf(40), closesAtMs: atMsOf(50) },
    { number: 2, opensAtMs: atMsOf(60), closesAtMs: atMsOf(80) },
  ],
  reconciliationAtMs: atMsOf(90),
};
type Changes = Readonly<Record<string, number | null>>;

/** Offsets by marker; null leaves one out. */
function lane(partition: number, changes: Changes = {}): readonly RecordEntry[] {
  const offsets = {
    "WindowOpened 1": 40,
    "WindowClosed 1": 50,
    "WindowOpened 2": 60,
    "WindowClosed 2": 80,
    "DayReconciled 1": 90,
    ...changes,
  };
  return Object.entries(offsets).flatMap(([name, offset]) => (offset === null ? [] : [of(name, offset, partition)]));
}

function of(name: string, offset: number, partition = 0, id = `${day}:${name}:${partition}`): RecordEntry {
  const [type = "", number] = name.split(" ");
  return marker(offset, type, { id, number: Number(number) }, partition);
}

function found(history: readonly RecordEntry[]): readonly string[] {
  return checkHistory(history, { plannedDays: [plannedDay] }).violations.map(({ promise, text }) => `${promise} ${text}`);
}

function planned(offset: number, opensAtMs: number): RecordEntry {
  const [first, second] = plannedDay.windows;
  const windows = [{ ...first, opensAtMs }, second];
  const value = { scheme: "ZA_EFT", businessDate: "2026-11-20", windows, reconciliationAtMs: plannedDay.reconciliationAtMs };
  return record("journal", offset, day, "DayPlanned", value);
}

test("I9: windows that opened and closed once, in every lane, at or after their times, are right", () => {
  const { violations, counts } = checkHistory([...lane(0), ...lane(1)], { plannedDays: [plannedDay] });
  expect(violations).toEqual([]);
  expect(counts).toMatchObject({ windowsPlanned: 2, windowsOpened: 2, windowsMissed: 0, windowsClosed: 2, markersAgain: 0 });
});

test("I9: a missed window, a late one, and a marker that is there again are legal", () => {
  const missed = { "WindowOpened 1": null, "WindowClosed 1": 58, "WindowOpened 2": 75 };
  const { violations, counts } = checkHistory([...lane(0, missed), of("WindowClosed 2", 85)], { plannedDays: [plannedDay] });
  expect(violations).toEqual([]);
  expect(counts).toMatchObject({ windowsOpened: 1, windowsMissed: 1, windowsClosed: 2, markersAgain: 1 });
});

test.each<readonly [string, readonly RecordEntry[], string]>([
  ["opened early", lane(0, { "WindowOpened 2": 59 }), "WindowOpened 2 was appended to lane 0 at offset 59, 1000 ms before its time"],
  ["closed early", lane(0, { "WindowClosed 2": 79 }), "WindowClosed 2 was appended to lane 0 at offset 79, 1000 ms before"],
  ["reconciled early", lane(0, { "DayReconciled 1": 89 }), "DayReconciled was appended to lane 0 at offset 89"],
  ["opened twice", [...lane(0), of("WindowOpened 2", 70, 0, "another")], "WindowOpened 2 is in lane 0 as 2 markers, at offsets 60, 70"],
  ["opened after its close", lane(0, { "WindowOpened 1": 55 }), "window 1 opened after it had closed, in lane 0"],
  ["opened before the one before was closed", lane(0, { "WindowClosed 1": 65 }), "window 2 opened before window 1 was closed"],
  ["never closed", lane(0, { "WindowClosed 2": null }), "window 2 was not closed when the day was reconciled"],
  ["opened in one lane alone", [...lane(0), ...lane(1, { "WindowOpened 1": null })], "WindowOpened 1 is missing in lanes 1"],
])("I9: a window that was %s is a violation", (_, history, text) => {
  expect(found(history)).toEqual(expect.arrayContaining([expect.stringContaining(text)]));
});

test("I9: without planned times the earliest of the journal's plans is asked for", () => {
  const before = { "WindowOpened 1": 35 };
  expect(checkHistory([planned(1, atMsOf(40)), ...lane(0, before)]).violations).toMatchObject([{ promise: "I9" }]);
  expect(checkHistory([planned(1, atMsOf(40)), planned(2, atMsOf(35)), ...lane(0, before)]).violations).toEqual([]);
  expect(checkHistory(lane(0, before)).violations).toEqual([]);
});
