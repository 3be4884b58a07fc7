// The topic of snapshots: what compaction leaves is the newest state of each transaction.

import { expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import { goodDayHistory, historyRecord } from "./histories.fixture.ts";
import type { HistoryEntry, RecordEntry, SnapshotEntry } from "./history.ts";

type History = readonly HistoryEntry[];

function snapshotRecord(uetr: string, offset: number, version: number, state: string, stageVersion: number | null): RecordEntry {
  return historyRecord("transactions", offset, uetr, "TransactionSnapshot", { uetr, version: String(version), state, stageVersion });
}

/** Every state that the store has, in order, and `extra` behind them. */
function withTable(extra: (first: SnapshotEntry) => readonly RecordEntry[] = () => []): History {
  const snapshots = goodDayHistory.filter((entry): entry is SnapshotEntry => entry.kind === "snapshot");
  const rows = snapshots.flatMap(({ uetr, transitions }, at) =>
    transitions.map(({ state, stageVersion }) => snapshotRecord(uetr, at * 20 + stageVersion, stageVersion, state, stageVersion)),
  );
  return [...goodDayHistory, ...rows, ...snapshots.slice(0, 1).flatMap(extra)];
}

test("I6: a table that ends in the newest state of every transaction is accepted and counted", () => {
  const { violations, counts } = checkHistory(withTable());
  expect([violations, counts["snapshotRowsExamined"]]).toEqual([[], goodDayHistory.filter(({ kind }) => kind === "snapshot").length]);
  expect(checkHistory(goodDayHistory).counts["snapshotRowsExamined"]).toBe(0);
});

test("I6: an older snapshot behind the newest one is rejected, once all work has ended", () => {
  const late = withTable(({ uetr }) => [snapshotRecord(uetr, 900, 1, "RECEIVED", 1)]);
  expect(checkHistory(late).violations).toMatchObject([{ promise: "I6", text: expect.stringContaining("version 1, RECEIVED 1") }]);
  expect(checkHistory(late, { isDrained: false }).violations).toEqual([]);
});

test("I6: the newest snapshot again behind an older one is accepted", () => {
  const mended = withTable(({ uetr, transitions, state }) => [
    snapshotRecord(uetr, 900, 1, "RECEIVED", 1),
    snapshotRecord(uetr, 901, transitions.length, state, transitions.at(-1)?.stageVersion ?? null),
  ]);
  expect(checkHistory(mended).violations).toEqual([]);
});

test("I6: a transaction that the table does not have, or has in another state, is rejected", () => {
  const [first] = goodDayHistory.filter((entry): entry is SnapshotEntry => entry.kind === "snapshot");
  const isRow = (entry: HistoryEntry): boolean =>
    entry.kind === "record" && entry.type === "TransactionSnapshot" && entry.key === first?.uetr;
  expect(checkHistory(withTable().filter((entry) => !isRow(entry))).violations).toMatchObject([{ promise: "I6", uetr: first?.uetr }]);
  const other = withTable(({ uetr, transitions }) => [snapshotRecord(uetr, 900, transitions.length, "HELD", transitions.length)]);
  expect(checkHistory(other).violations).toMatchObject([{ promise: "I6", uetr: first?.uetr }]);
});
