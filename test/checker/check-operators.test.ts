// Operators' actions, and debits that are carried over to the next business date: histories that the checker must
// reject, and legal ones that it must accept.

import { expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import {
  offsetToMs,
  historyBank,
  changeEntries,
  historyDay,
  historyDebitRecord,
  historyEventRecord,
  completedDebit,
  unreleasedDebit,
  isRecordOfType,
  snapshotItem,
  historyMarker,
  dayMarkers,
  historyRecord,
  sentEntry,
  debitHistory,
  numberedUetr,
  withoutEntries,
} from "./histories.fixture.ts";
import { creditHistory, offUsHistory } from "./flow-histories.fixture.ts";
import type { HistoryEntry, RecordEntry, SnapshotEntry, Violation } from "./history.ts";

const one = numberedUetr(1);
const next = "2026-11-23";
const action = { id: "a-1", operator: "thabo", reason: "wrong file", requestedAtMs: 1 };
const heldUntilClosed = { number: 1, received: 1, verified: 2, reported: 3 } as const;
const withdrawnItem = snapshotItem(0, "HELD", { cause: "WITHDRAWN" });

function isVerdict(entry: HistoryEntry): entry is RecordEntry {
  return isRecordOfType("AccountVerified", one)(entry);
}

function isSnapshot(entry: HistoryEntry): entry is SnapshotEntry {
  return entry.kind === "snapshot" && entry.uetr === one;
}

/** The markers of the day, whose last WindowClosed names the next business date. */
const dayWithNext: readonly HistoryEntry[] = changeEntries(dayMarkers, isRecordOfType("WindowClosed"), (entry) => ({
  ...entry,
  value: { ...entry.value, nextBusinessDate: next },
}));

/** A held debit that was carried over at offset 81 to a date in the future. */
function carriedOver(carryOversMax: number, changes: { readonly at?: number; readonly to?: string } = {}): readonly HistoryEntry[] {
  const { at = 81, to = next } = changes;
  const history = changeEntries(debitHistory(heldUntilClosed), isVerdict, (entry) => ({
    ...entry,
    value: { ...entry.value, carryOversMax },
  }));
  const again = historyEventRecord(one, 5, "HELD", at, 900);
  const event = { ...again, value: { ...again.value, businessDate: to } };
  const entered = { stageVersion: 5, state: "HELD", offset: String(at), atMs: at * 1_000 };
  const grown = changeEntries(history, isSnapshot, (snapshot) => ({
    ...snapshot,
    reconciliationDay: `ZA_EFT:${to}`,
    transitions: [...snapshot.transitions, entered],
  }));
  return [...dayWithNext, ...grown, historyRecord("journal", at, one, "DayClosed", { day: historyDay }), event];
}

/** A held debit that was withdrawn at offset 20. */
function withdrawn(items = [withdrawnItem]): readonly HistoryEntry[] {
  const history = debitHistory({ ...heldUntilClosed, reconciled: 20, items });
  const request = historyRecord("journal", 20, one, "WithdrawalRequested", { action });
  return [...dayMarkers, ...changeEntries(history, isRecordOfType("DayClosed", one), () => request)];
}

/** A withdrawal by an action that was sent twice, at offsets 20 and 21, with notes that name the given offsets. */
function withNotes(offsets: readonly number[]): readonly HistoryEntry[] {
  const decisions = offsets.map((offset) => ({ id: "a-1", kind: "WithdrawalRequested", result: "applied", offset: String(offset) }));
  const again = historyRecord("journal", 21, one, "WithdrawalRequested", { action });
  return [...changeEntries(withdrawn(), isSnapshot, (snapshot) => ({ ...snapshot, decisions })), again];
}

const paused = historyRecord("journal", 45, `bank:${historyBank}`, "BankPaused", {
  id: `bank:${historyBank}:BankPaused:1:0`,
  bank: historyBank,
  number: 1,
});
/** The append time of the completed debit's release. */
const releasedAtMs = offsetToMs(completedDebit.released ?? 0);
/** A pause that ends by itself (a maintenance). */
const pausedUntil = (untilMs: number) => historyRecord("journal", 45, `bank:${historyBank}`, "BankPaused", { ...paused.value, untilMs });
const resumed = historyRecord("journal", 49, `bank:${historyBank}`, "BankResumed", {
  id: `bank:${historyBank}:BankResumed:1:0`,
  bank: historyBank,
  number: 1,
});
/** A credit that is unresolved when the gate opens at 42. */
const late = { number: 2, received: 10, verified: 11, delivered: 12, ended: 60, outcomeReported: 61 } as const;
const offUs = { number: 1, received: 1, verified: 2, released: 50, delivered: 51, ended: 52, outcomeReported: 53 } as const;

function gateOver(credits: readonly string[]): readonly HistoryEntry[] {
  const request = historyRecord(
    "journal",
    41,
    historyDay,
    "GateOpeningRequested",
    { action, scheme: "ZA_EFT", businessDate: "2026-11-20", bank: historyBank, credits },
    7,
  );
  return [...dayMarkers, request, ...creditHistory(late), ...offUsHistory(offUs)];
}

test.each<readonly [string, readonly HistoryEntry[]]>([
  ["a debit that was carried over once, as its verdict allows", carriedOver(1)],
  [
    "a debit that was carried over in the turn of its repeat",
    [...changeEntries(carriedOver(1), isRecordOfType("DayClosed", one), () => historyDebitRecord(one, 81)), sentEntry(one, 81)],
  ],
  ["a debit that was withdrawn while it was held", withdrawn()],
  ["an action sent twice, of which the first counts", withNotes([20])],
  [
    "an action that found nothing before its debit was received, and was sent again",
    [historyRecord("journal", 0, one, "WithdrawalRequested", { action }), ...withNotes([20])],
  ],
  ["a release after the end of a maintenance", [...dayMarkers, pausedUntil(releasedAtMs), ...debitHistory(completedDebit)]],
  ["a release after a pause", [...dayMarkers, paused, resumed, ...debitHistory(completedDebit)]],
  ["a gate that an operator opened over the credit that the request names", gateOver([numberedUetr(2)])],
  [
    "an action answered 202 that is in the journal",
    [...withdrawn(), { ...sentEntry(one, 20, "operatorAction"), messageIdentification: "a-1", bank: "thabo" }],
  ],
])("accepted: %s", (_what, history) => {
  expect(checkHistory(history).violations).toEqual([]);
});

const voided = changeEntries(dayWithNext, isRecordOfType("WindowClosed"), (entry) => ({ ...entry, type: "DayVoid" }));

test("accepted: a debit whose date was cancelled is carried over, whatever its verdict allows", () => {
  expect(
    checkHistory([...voided, ...withoutEntries(carriedOver(0), isRecordOfType("WindowClosed"))]).violations.map(({ promise }) => promise),
  ).not.toContain("I6");
});

const cases: readonly (readonly [string, Violation["promise"], readonly HistoryEntry[]])[] = [
  ["I3: an action sent twice is noted twice", "I3", withNotes([20, 21])],
  ["I3: the second record of an action took effect", "I3", withNotes([21])],
  ["I6: a debit was carried over though its verdict does not allow it", "I6", carriedOver(0)],
  ["I6: a debit was carried over before its date had ended", "I6", carriedOver(1, { at: 79 })],
  ["I6: a debit was carried over to another date than the marker names", "I6", carriedOver(1, { to: "2026-11-24" })],
  [
    "I10: a debit that could have been carried over became an item",
    "I10",
    [
      ...dayWithNext,
      ...changeEntries(debitHistory(unreleasedDebit), isVerdict, (entry) => ({ ...entry, value: { ...entry.value, carryOversMax: 1 } })),
    ],
  ],
  ["I10: a withdrawn debit has no item", "I10", withdrawn([])],
  ["I10: a withdrawn debit has the item of a close", "I10", withdrawn([snapshotItem(0, "HELD")])],
  [
    "I10: a debit was withdrawn after its release",
    "I10",
    [
      ...dayMarkers,
      ...changeEntries(
        debitHistory({ ...heldUntilClosed, released: 50, reconciled: 60, items: [withdrawnItem] }),
        isRecordOfType("DayClosed", one),
        () => historyRecord("journal", 60, one, "WithdrawalRequested", { action }),
      ),
    ],
  ],
  [
    "I8: a debit was released before the end of a maintenance",
    "I8",
    [...dayMarkers, pausedUntil(releasedAtMs + 1), ...debitHistory(completedDebit)],
  ],
  ["I8: a debit was released while its bank was paused", "I8", [...dayMarkers, paused, ...debitHistory(completedDebit)]],
  ["I8: an operator opened the gate over a credit that the request does not name", "I8", gateOver([numberedUetr(9)])],
  [
    "I1: an action answered 202 is not in the journal",
    "I1",
    [
      ...dayMarkers,
      ...debitHistory(completedDebit),
      { ...sentEntry(one, 20, "operatorAction"), messageIdentification: "a-1", bank: "thabo" },
    ],
  ],
];

test.each(cases)("%s", (_what, promise, history) => {
  const violations = checkHistory(history).violations;
  expect(violations.map((violation) => violation.promise)).toContain(promise);
});

test("I6: the close of a window that is not the last carries nothing over", () => {
  const open = changeEntries(carriedOver(1), isRecordOfType("WindowClosed"), (entry) => ({
    ...entry,
    value: { ...entry.value, isLast: false },
  }));
  expect(checkHistory(open).violations.map(({ promise }) => promise)).toContain("I6");
  expect(historyMarker(1, "WindowClosed").type).toBe("WindowClosed");
});
