// Transactions of which records were in the dead letters.

import { expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import {
  changeEntries,
  dayMarkers,
  debitHistory,
  goodDayHistory,
  historyRecord,
  historyReportRecord,
  numberedUetr,
  sentEntry,
  snapshotItem,
  unansweredDebit,
} from "./histories.fixture.ts";
import type { HistoryEntry, SnapshotEntry } from "./history.ts";

type History = readonly HistoryEntry[];
const one = numberedUetr(1);
const journal = "sluice.journal.v1";
const action = { id: "a-1", operator: "thabo", reason: "repaired", requestedAtMs: 1 };

function letter(uetr: string, of: number, at: number, over: object = {}): HistoryEntry {
  const value = { topic: journal, partition: 0, offset: String(of), service: "scheduler", reason: "quarantined", ...over };
  return historyRecord("deadLetters", at, uetr, "DeadLetter", value);
}

const replayed = (left: readonly string[] = []): HistoryEntry =>
  historyRecord("journal", 62, one, "DeadLettersReplayed", { action, records: 1, left });

/** The good day, and another report under the first UETR that followed into the dead letters, with the given rest. */
function withLetter(...rest: readonly HistoryEntry[]): History {
  const followed = [
    sentEntry(one, 60, "inboundDirectDebitResponse"),
    historyReportRecord(one, 60, "P-late"),
    letter(one, 60, 61),
    ...rest,
  ].map((entry) => (entry.kind === "sent" ? { ...entry, messageIdentification: "P-late" } : entry));
  return [...observed([...goodDayHistory, ...followed], [60, 63])];
}

function observed(history: History, offsets: readonly number[]): History {
  const observations = offsets.map((offset) => ({ kind: "repeat", messageIdentification: "P-late", offset: String(offset) }));
  return changeEntries(history, isSnapshotOfOne, (entry) => ({ ...entry, observations }));
}

function isSnapshotOfOne(entry: HistoryEntry): entry is SnapshotEntry {
  return entry.kind === "snapshot" && entry.uetr === one;
}

const again = historyReportRecord(one, 63, "P-late");

test("I1: a message in the dead letters that nobody appended again is rejected, once its transaction is not quarantined", () => {
  const lost = [expect.objectContaining({ promise: "I1", text: expect.stringMatching(/offset 60 is in the dead letters, and no replay/) })];
  expect(checkHistory(withLetter()).violations).toEqual(lost);
  expect(checkHistory(withLetter(replayed())).violations).toEqual(lost);
  expect(checkHistory(withLetter(), { isDrained: false }).violations).toEqual([]);
  const quarantined = changeEntries(withLetter(), isSnapshotOfOne, (entry) => ({ ...entry, isQuarantined: true }));
  expect(checkHistory(quarantined).violations).toEqual([]);
});

test("I1: a message that a replay appended again, or that an operator left in the dead letters, is accepted", () => {
  expect(checkHistory(withLetter(replayed(), again)).violations).toEqual([]);
  expect(checkHistory(withLetter(replayed(["0:61"]))).violations).toEqual([]);
  expect(checkHistory(withLetter(replayed(["journal:60"]))).violations).toEqual([]);
});

test("I1: a replay whose record went back to the dead letters is none", () => {
  const lost = checkHistory(withLetter(replayed(), again, letter(one, 63, 64))).violations.map(({ text }) => text);
  expect(lost).toHaveLength(2);
});

test("I1: letters of other services and other topics say nothing about the journal", () => {
  const others = [letter(one, 52, 70, { service: "validator" }), letter(one, 52, 71, { topic: "sluice.dispatch.v1" })];
  expect(checkHistory([...goodDayHistory, ...others]).violations).toEqual([]);
});

test("I10: row 4 is accepted for a transaction of which records are in the dead letters, and for no other", () => {
  const { number } = unansweredDebit;
  const history = [...dayMarkers, ...debitHistory({ ...unansweredDebit, items: [snapshotItem(4, "RELEASED")] })];
  expect(checkHistory(history).violations).toMatchObject([{ promise: "I10" }]);
  expect(checkHistory([...history, letter(numberedUetr(number), 59, 61)]).violations).toEqual([]);
});

test("I2: an orphan of which the journal has nothing but a record that cannot be read is accepted", () => {
  const nine = numberedUetr(9);
  const orphan: HistoryEntry = {
    kind: "snapshot",
    uetr: nine,
    state: "ORPHAN",
    reconciliationDay: null,
    transitions: [],
    items: [],
    observations: [],
  };
  expect(checkHistory([...goodDayHistory, orphan]).violations).toMatchObject([{ promise: "I2" }]);
  expect(checkHistory([...goodDayHistory, orphan, historyRecord("journal", 60, nine, "unreadable", {})]).violations).toEqual([]);
});
