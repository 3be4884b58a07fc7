import type { HistoryEntry, RecordEntry } from "@sluice/checker";
import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { verifyRound } from "./verdict.ts";

const day = "ZA_EFT:2026-11-20";
const plannedDay = { day, windows: [{ number: 1, opensAtMs: 1_000, closesAtMs: 2_000 }], reconciliationAtMs: 3_000 };

function buildRecord(topic: string, offset: number, type: string, appendedAtMs: number): RecordEntry {
  const value = {
    id: `${day}:${type}:1:0`,
    scheme: "ZA_EFT",
    businessDate: "2026-11-20",
    partition: 0,
    number: 1,
    banks: null,
    except: [],
  };
  return { kind: "record", topic, partition: 0, offset: String(offset), appendedAtMs, key: day, type, value };
}

const buildDeclaration = (atMs: number): HistoryEntry => ({
  kind: "sent",
  atMs,
  bank: "clearing",
  operation: "creditsFinal",
  uetr: day,
  messageIdentification: "",
  bodyHash: "",
  status: 503,
});
const windows = [
  buildRecord(topics.journal, 1, "WindowOpened", 1_000),
  buildRecord(topics.journal, 2, "GateOpened", 1_500),
  buildRecord(topics.journal, 3, "WindowClosed", 2_000),
  buildRecord(topics.journal, 4, "DayReconciled", 3_000),
];
const findProblems = (history: readonly HistoryEntry[], creditsFinal: "clock" | "connector" = "clock"): readonly string[] =>
  verifyRound({ plannedDay, creditsFinal, history }).problems.filter((problem) => !problem.includes("nothing was released"));

test("a round whose window opened on time and whose gate opened after the declaration has no problems", () => {
  expect(findProblems(windows)).toEqual([]);
  expect(findProblems([buildDeclaration(1_400), ...windows], "connector")).toEqual([]);
});

test("I9: a window that opened a millisecond before the configured time is reported", () => {
  expect(findProblems([buildRecord(topics.journal, 1, "WindowOpened", 999), ...windows.slice(1)])).toEqual([
    expect.stringMatching(/^I9: .*WindowOpened 1 was appended to partition 0 at offset 1, 1 ms before its time/),
  ]);
});

test("I8: a gate that opened before the connector's declaration, or without one, is reported", () => {
  expect(findProblems([buildDeclaration(1_600), ...windows], "connector")).toEqual([
    expect.stringContaining("a gate opened in partition 0 at offset 2, 100 ms"),
  ]);
  expect(findProblems(windows, "connector")).toEqual([expect.stringContaining("a gate opened in partition 0")]);
});

test("dead letters are reported, and a round in which too little happened fails", () => {
  expect(findProblems([...windows, buildRecord(topics.deadLetters, 0, "DeadLetter", 1_100)])).toEqual([
    expect.stringContaining("dead letter"),
  ]);
  expect(findProblems(windows.slice(2))).toEqual([expect.stringContaining("0 of 1 windows opened")]);
  expect(verifyRound({ plannedDay, creditsFinal: "clock", history: windows }).problems).toEqual([
    "too little was shown: nothing was released",
  ]);
});
