// Windows of a day: histories that the checker must reject, and odd but legal ones that it must accept.

import { expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import { offsetToMs, historyDay, historyMarker, historyRecord } from "./histories.fixture.ts";
import type { RecordEntry } from "./history.ts";
import type { PlannedDay } from "./evidence/evidence.ts";

const plannedDay: PlannedDay = {
  day: historyDay,
  windows: [
    { number: 1, opensAtMs: offsetToMs(40), closesAtMs: offsetToMs(50) },
    { number: 2, opensAtMs: offsetToMs(60), closesAtMs: offsetToMs(80) },
  ],
  reconciliationAtMs: offsetToMs(90),
};
type Changes = Readonly<Record<string, number | null>>;

/** Builds the markers of one partition. `changes` gives offsets by marker; null leaves a marker out. */
function partitionMarkers(partition: number, changes: Changes = {}): readonly RecordEntry[] {
  const offsets = {
    "WindowOpened 1": 40,
    "WindowClosed 1": 50,
    "WindowOpened 2": 60,
    "WindowClosed 2": 80,
    "DayReconciled 1": 90,
    ...changes,
  };
  return Object.entries(offsets).flatMap(([name, offset]) => (offset === null ? [] : [namedMarker(name, offset, partition)]));
}

function namedMarker(name: string, offset: number, partition = 0, id = `${historyDay}:${name}:${partition}`): RecordEntry {
  const [type = "", number] = name.split(" ");
  return historyMarker(offset, type, { id, number: Number(number) }, partition);
}

function findViolations(history: readonly RecordEntry[]): readonly string[] {
  return checkHistory(history, { plannedDays: [plannedDay] }).violations.map(({ promise, text }) => `${promise} ${text}`);
}

function plannedRecord(offset: number, opensAtMs: number): RecordEntry {
  const [first, second] = plannedDay.windows;
  const windows = [{ ...first, opensAtMs }, second];
  const value = { scheme: "ZA_EFT", businessDate: "2026-11-20", windows, reconciliationAtMs: plannedDay.reconciliationAtMs };
  return historyRecord("journal", offset, historyDay, "DayPlanned", value);
}

test("I9: windows that opened and closed once in every partition, at or after their times, are accepted", () => {
  const { violations, counts } = checkHistory([...partitionMarkers(0), ...partitionMarkers(1)], { plannedDays: [plannedDay] });
  expect(violations).toEqual([]);
  expect(counts).toMatchObject({ windowsPlanned: 2, windowsOpened: 2, windowsMissed: 0, windowsClosed: 2, markersAgain: 0 });
});

test("I9: a missed window, a late window and a repeated marker are accepted", () => {
  const missed = { "WindowOpened 1": null, "WindowClosed 1": 58, "WindowOpened 2": 75 };
  const { violations, counts } = checkHistory([...partitionMarkers(0, missed), namedMarker("WindowClosed 2", 85)], {
    plannedDays: [plannedDay],
  });
  expect(violations).toEqual([]);
  expect(counts).toMatchObject({ windowsOpened: 1, windowsMissed: 1, windowsClosed: 2, markersAgain: 1 });
});

test.each<readonly [string, readonly RecordEntry[], string]>([
  [
    "opened early",
    partitionMarkers(0, { "WindowOpened 2": 59 }),
    "WindowOpened 2 was appended to partition 0 at offset 59, 1000 ms before its time",
  ],
  [
    "closed early",
    partitionMarkers(0, { "WindowClosed 2": 79 }),
    "WindowClosed 2 was appended to partition 0 at offset 79, 1000 ms before",
  ],
  ["reconciled early", partitionMarkers(0, { "DayReconciled 1": 89 }), "DayReconciled was appended to partition 0 at offset 89"],
  [
    "opened twice",
    [...partitionMarkers(0), namedMarker("WindowOpened 2", 70, 0, "another")],
    "WindowOpened 2 is in partition 0 as 2 markers, at offsets 60, 70",
  ],
  ["opened after its close", partitionMarkers(0, { "WindowOpened 1": 55 }), "window 1 opened after it had closed, in partition 0"],
  [
    "opened before the previous one was closed",
    partitionMarkers(0, { "WindowClosed 1": 65 }),
    "window 2 opened before window 1 was closed",
  ],
  ["never closed", partitionMarkers(0, { "WindowClosed 2": null }), "window 2 was not closed when the day was reconciled"],
  [
    "opened in one partition alone",
    [...partitionMarkers(0), ...partitionMarkers(1, { "WindowOpened 1": null })],
    "WindowOpened 1 is missing in partitions 1",
  ],
])("I9: a window that was %s is a violation", (_, history, text) => {
  expect(findViolations(history)).toEqual(expect.arrayContaining([expect.stringContaining(text)]));
});

test("I9: without planned times the earliest time of the journal's plans counts", () => {
  const before = { "WindowOpened 1": 35 };
  expect(checkHistory([plannedRecord(1, offsetToMs(40)), ...partitionMarkers(0, before)]).violations).toMatchObject([{ promise: "I9" }]);
  expect(
    checkHistory([plannedRecord(1, offsetToMs(40)), plannedRecord(2, offsetToMs(35)), ...partitionMarkers(0, before)]).violations,
  ).toEqual([]);
  expect(checkHistory(partitionMarkers(0, before)).violations).toEqual([]);
});
