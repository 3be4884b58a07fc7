// What analysts read says what the events and the store say.

import { expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import { goodDayHistory, historyRecord } from "./histories.fixture.ts";
import type { HistoryEntry, RecordEntry, SnapshotEntry } from "./history.ts";

function readMembers(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The good day with a record for analysts beside each event, each changed by `change`; null leaves it out. */
function withEntries(change: (value: Record<string, unknown>, index: number) => Record<string, unknown> | null): readonly HistoryEntry[] {
  const events = goodDayHistory.filter((entry): entry is RecordEntry => entry.kind === "record" && entry.type === "TransactionStateEvent");
  const records = events.flatMap(({ key, offset, value }, index) => {
    const { amount, body: _body, ...columns } = readMembers(value);
    const changed = change({ ...columns, amount: readMembers(amount)["value"] }, index);
    return changed === null ? [] : [historyRecord("stateEvents", Number(offset), key ?? "", "StateEntered", changed)];
  });
  return [...goodDayHistory, ...records];
}

function withItems(change: (value: Record<string, unknown>) => readonly Record<string, unknown>[]): readonly HistoryEntry[] {
  const snapshots = goodDayHistory.filter((entry): entry is SnapshotEntry => entry.kind === "snapshot");
  const values = snapshots.flatMap(({ uetr, items }) =>
    items.map(({ day, row, cause, state, settledAtMs }, index) => {
      const [scheme, businessDate] = day.split(":");
      return { uetr, number: index + 1, version: "5", scheme, businessDate, row, reason: cause, state, settledAtMs };
    }),
  );
  const records = values.flatMap(change);
  return [
    ...goodDayHistory,
    ...records.map((value, index) => historyRecord("items", index, String(value["uetr"]), "ReconciliationItem", value)),
  ];
}

test("I6: entries that say what the events say are accepted and counted, and so is a history without them", () => {
  const { violations, counts } = checkHistory(withEntries((value) => value));
  expect([violations, (counts["stateRecordsExamined"] ?? 0) > 10]).toEqual([[], true]);
  expect(checkHistory(goodDayHistory).counts["stateRecordsExamined"]).toBe(0);
});

test.each([
  ["another state", { state: "HELD" }],
  ["another date", { businessDate: "2026-11-21" }],
  ["another sum", { amount: "1" }],
])("I6: an entry with %s than its event is rejected", (_what, changed) => {
  const wrong = withEntries((value, index) => (index === 0 ? { ...value, ...changed } : value));
  expect(checkHistory(wrong).violations).toMatchObject([{ promise: "I6", text: expect.stringContaining("analysts read") }]);
});

test("I6: an event without its entry is rejected once all work has ended", () => {
  const events = goodDayHistory.filter((entry) => entry.kind === "record" && entry.type === "TransactionStateEvent").length;
  const missing = withEntries((value, index) => (index === events - 1 ? null : value));
  expect(checkHistory(missing).violations).toMatchObject([{ promise: "I6" }]);
});

test("I6: entries have gaps where an older release was at work, and what is there is compared all the same [D10.72]", () => {
  const gaps = (change: Record<string, unknown>) =>
    withEntries((value, index) => (index % 3 === 0 ? null : index === 1 ? { ...value, ...change } : value));
  expect(checkHistory(gaps({})).violations).not.toEqual([]);
  expect(checkHistory(gaps({}), { hasOlderRelease: true }).violations).toEqual([]);
  expect(checkHistory(gaps({ amount: "1" }), { hasOlderRelease: true }).violations).toMatchObject([{ promise: "I6" }]);
});

test("I6: a repeat of an entry that says something else is rejected", () => {
  const history = withEntries((value) => value);
  const first = history.find((entry): entry is RecordEntry => entry.kind === "record" && entry.type === "StateEntered")!;
  const again = historyRecord("stateEvents", 9_999, first.key ?? "", "StateEntered", { ...first.value, carryOvers: 3 });
  expect(checkHistory([...history, again]).violations).toMatchObject([{ promise: "I6", text: expect.stringContaining("repeats") }]);
});

test("I6: the newest version of each item is the store's item", () => {
  expect(checkHistory(withItems((value) => [value])).violations).toEqual([]);
  expect(checkHistory(withItems((value) => [value, { ...value, version: "4", row: 9 }])).violations).toEqual([]);
  const wrong = checkHistory(withItems((value) => [value, { ...value, version: "6", row: 99 }])).violations;
  expect(wrong.length).toBeGreaterThan(0);
  expect(wrong.every(({ promise, text }) => promise === "I6" && text.includes("analysts read the items"))).toBe(true);
});
