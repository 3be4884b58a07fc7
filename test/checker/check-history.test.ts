// Histories for every promise that the checker must reject, and odd but legal ones that it must accept.

import { expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import type { CheckOptions } from "./evidence/evidence.ts";
import {
  offsetToMs,
  badAccountDebit,
  historyBank,
  changeEntries,
  historyDay,
  historyDebitRecord,
  historyEventId,
  receivedEventEntry,
  historyEventRecord,
  completedDebit,
  unreleasedDebit,
  goodDayHistory,
  isRecordOfType,
  snapshotItem,
  historyMarker,
  dayMarkers,
  nextHistoryDay,
  receivedEntry,
  historyRecord,
  historyReportRecord,
  secondCompletedDebit,
  sentEntry,
  outgoingId,
  unansweredDebit,
  debitHistory,
  numberedUetr,
  unreportedDebit,
  withoutEntries,
} from "./histories.fixture.ts";
import type { HistoryEntry, ReceivedEntry, RecordEntry, SentEntry, SnapshotEntry, Violation } from "./history.ts";

type History = readonly HistoryEntry[];
const one = numberedUetr(1);
const two = numberedUetr(2);

/** Leaves I2 out: these histories add records and requests without what they trace to (`check-phantoms.test.ts`). */
function findViolations(history: History, options: CheckOptions = {}): readonly Violation[] {
  return checkHistory(history, options).violations.filter(({ promise }) => promise !== "I2");
}

function brokenPromises(history: History, options: CheckOptions = {}): readonly Violation["promise"][] {
  return [...new Set(findViolations(history, options).map((violation) => violation.promise))].toSorted();
}

function withSnapshot(history: History, uetr: string, changed: (snapshot: SnapshotEntry) => SnapshotEntry): History {
  return changeEntries(history, (entry): entry is SnapshotEntry => entry.kind === "snapshot" && entry.uetr === uetr, changed);
}

function withObservation(history: History, uetr: string, offset: number, kind: string): History {
  const observation = { kind, messageIdentification: "M-01", offset: String(offset) };
  return withSnapshot(history, uetr, (snapshot) => ({ ...snapshot, observations: [...snapshot.observations, observation] }));
}

function isReceived(
  operation: ReceivedEntry["operation"],
  uetr: string,
  stageVersion: number | null = null,
): (entry: HistoryEntry) => entry is ReceivedEntry {
  return (entry): entry is ReceivedEntry =>
    entry.kind === "received" && entry.operation === operation && entry.uetr === uetr && entry.stageVersion === stageVersion;
}

/** Moves the matching entry to the end of the history. */
function moveToEnd(history: History, matches: (entry: HistoryEntry) => boolean): History {
  return [...withoutEntries(history, matches), ...history.filter(matches)];
}

function story(changes: object, base: object = completedDebit): History {
  return [...dayMarkers, ...debitHistory({ ...completedDebit, ...base, ...changes })];
}

test("a good day has no violations, and the report says how much was examined", () => {
  const report = checkHistory(goodDayHistory);
  expect(report.violations).toEqual([]);
  expect(report.counts).toMatchObject({
    requestsAccepted: 7,
    messagesStored: 7,
    requestsReceived: 39,
    dispatches: 9,
    receiversInOrder: 5,
    eventsInSequence: 30,
    transactionsEnded: 5,
    transactionsFollowed: 5,
    eventsFollowed: 30,
    debitsReleased: 4,
    debitsArrived: 4,
    unresolvedAtClose: 2,
    itemsAtClose: 2,
  });
});

test("a violation names its promise and its transaction, and says what was expected", () => {
  const [first] = checkHistory(withoutEntries(goodDayHistory, isRecordOfType("StatusReportReceived", one))).violations;
  expect(first).toMatchObject({ promise: "I1", uetr: one, text: expect.stringMatching(/answered 202, but the journal has 0 records/) });
});

test("I4: where the store went back, an event may be overtaken that was appended in the time that it forgot, and no other", () => {
  const history = moveToEnd(goodDayHistory, isReceived("events", one, 3));
  const [appendedAtMs] = history.flatMap((entry) =>
    entry.kind === "record" && entry.type === "TransactionStateEvent" && entry.key === one && entry.value["stageVersion"] === 3
      ? [entry.appendedAtMs]
      : [],
  );
  const check = (fromMs: number, untilMs: number): readonly string[] =>
    checkHistory(history, { forgotten: { fromMs, untilMs } }).violations.map(({ promise }) => promise);
  expect(check(appendedAtMs!, appendedAtMs! + 1)).toEqual([]);
  expect(check(appendedAtMs! - 9, appendedAtMs!)).toContain("I4");
  expect(check(appendedAtMs! + 1, appendedAtMs! + 9)).toContain("I4");
});

const rejected: readonly (readonly [string, Violation["promise"], History])[] = [
  // ---- I1
  ["I1: a debit answered 202 is not in the journal", "I1", [...goodDayHistory, sentEntry(numberedUetr(9), 20)]],
  ["I1: a report answered 202 is not in the journal", "I1", withoutEntries(goodDayHistory, isRecordOfType("StatusReportReceived", one))],
  ["I1: two requests were answered 202, one record was written", "I1", [...goodDayHistory, sentEntry(one, 20)]],
  [
    "I1: a debit is in the journal, but was never applied",
    "I1",
    [...goodDayHistory, sentEntry(numberedUetr(9), 20), historyDebitRecord(numberedUetr(9), 20)],
  ],
  [
    "I1: a second message left neither a transition nor an observation",
    "I1",
    [...goodDayHistory, sentEntry(one, 20), historyDebitRecord(one, 20)],
  ],
  [
    "I1: a message was lost, because only the close was applied with it",
    "I1",
    changeEntries(goodDayHistory, isRecordOfType("DayClosed", numberedUetr(4)), (entry: RecordEntry) => ({
      ...historyReportRecord(numberedUetr(4), 91),
      partition: entry.partition,
    })),
  ],
  [
    "I1: an earlier message left nothing, though a later one is recorded",
    "I1",
    withObservation([...goodDayHistory, historyDebitRecord(one, 20), historyDebitRecord(one, 21)], one, 21, "repeat"),
  ],
  ["I1: among more than ten recorded messages, one left nothing", "I1", manyRepeats(30)],
  [
    "I1: one UETR is in two partitions",
    "I1",
    [...goodDayHistory, { ...historyRecord("journal", 60, one, "DayClosed", { day: historyDay }), partition: 1 }],
  ],

  // ---- I3
  [
    "I3: a repeat with other bytes",
    "I3",
    [...goodDayHistory, receivedEntry(one, 60, "inboundDirectDebit", outgoingId(one, "D"), { bodyHash: "other" })],
  ],
  ["I3: an event's repeat with other bytes", "I3", [...goodDayHistory, receivedEventEntry(one, 2, "ACCEPTED", 60, { bodyHash: "other" })]],
  [
    "I3: a debit under a second identification",
    "I3",
    [...goodDayHistory, receivedEntry(one, 60, "inboundDirectDebit", `${outgoingId(one, "D")}2`)],
  ],
  [
    "I3: a debit at a second bank",
    "I3",
    [...goodDayHistory, receivedEntry(one, 60, "inboundDirectDebit", outgoingId(one, "D"), { bank: "bank-b" })],
  ],
  [
    "I3: both reports, accepted and rejected",
    "I3",
    [...goodDayHistory, receivedEntry(one, 60, "outboundDirectDebitResponse", outgoingId(one, "R"))],
  ],
  [
    "I3: an event written twice with different contents",
    "I3",
    [
      ...goodDayHistory,
      changeEntries(
        [historyEventRecord(one, 2, "ACCEPTED", 2, 700)],
        isRecordOfType("TransactionStateEvent"),
        withValue({ body: "eyJ9" }),
      )[0] as HistoryEntry,
    ],
  ],
  [
    "I3: a dispatch written twice with different contents",
    "I3",
    [
      ...goodDayHistory,
      historyRecord("dispatch", 60, one, "Dispatch", {
        messageIdentification: outgoingId(one, "D"),
        uetr: one,
        bank: historyBank,
        body: "other",
      }),
    ],
  ],
  [
    "I3: a stage version under a second id",
    "I3",
    [
      ...goodDayHistory,
      changeEntries(
        [historyEventRecord(one, 7, "COMPLETED", 52, 700)],
        isRecordOfType("TransactionStateEvent"),
        withValue({ id: "new" }),
      )[0] as HistoryEntry,
    ],
  ],
  [
    "I3: a repeated report took effect a second time",
    "I3",
    withSnapshot([...goodDayHistory, historyReportRecord(one, 60)], one, (snapshot) => ({
      ...snapshot,
      transitions: [...snapshot.transitions, { stageVersion: 8, state: "COMPLETED", offset: "60", atMs: 1 }],
    })),
  ],

  // ---- I4
  ["I4: an event comes before its predecessor", "I4", moveToEnd(goodDayHistory, isReceived("events", one, 3))],
  [
    "I4: an event comes while its predecessor was only refused",
    "I4",
    changeEntries(goodDayHistory, isReceived("events", one, 3), answering(503)),
  ],
  [
    "I4: an event comes while its predecessor was not answered",
    "I4",
    changeEntries(goodDayHistory, isReceived("events", one, 3), answering(null)),
  ],
  ["I4: a gap without a give-up", "I4", withoutEntries(goodDayHistory, isReceived("events", one, 3))],
  ["I4: a gap at the beginning, though the event topic was not read", "I4", [receivedEventEntry(one, 2, "ACCEPTED", 2)]],
  ["I4: the debit before the report on it", "I4", moveToEnd(goodDayHistory, isReceived("outboundDirectDebitResponse", one))],

  // ---- I5
  ["I5: COMPLETED was left for UNPAID", "I5", [...goodDayHistory, historyEventRecord(one, 8, "UNPAID", 60, 800)]],
  [
    "I5: the snapshot left a terminal state, though no event says so",
    "I5",
    withSnapshot(goodDayHistory, one, (snapshot) => ({
      ...snapshot,
      transitions: [...snapshot.transitions, { stageVersion: 8, state: "UNPAID", offset: "60", atMs: 1 }],
    })),
  ],
  ["I5: the day is reconciled, the transaction goes on", "I5", story({ ended: undefined })],

  // ---- I6
  ["I6: a stage version is missing", "I6", withoutEntries(goodDayHistory, isVersion(4))],
  ["I6: events in another order than their stage versions", "I6", changeEntries(goodDayHistory, isVersion(2), at(15))],
  ["I6: HELD without REPORTED", "I6", changeEntries(goodDayHistory, isVersion(3), withValue({ state: "ACCEPTED" }))],
  ["I6: RELEASED out of REPORTED", "I6", changeEntries(goodDayHistory, isVersion(4), withValue({ state: "RELEASED" }))],
  ["I6: COMPLETED without DELIVERED", "I6", story({ delivered: undefined })],
  ["I6: the first state is not RECEIVED", "I6", changeEntries(goodDayHistory, isVersion(1), withValue({ state: "ACCEPTED" }))],
  ["I6: snapshot and events name different causes", "I6", changeEntries(goodDayHistory, isVersion(7), withValue({ causedByOffset: "60" }))],
  [
    "I6: the snapshot's state is not its last transition",
    "I6",
    withSnapshot(goodDayHistory, one, (snapshot) => ({ ...snapshot, state: "UNPAID" })),
  ],
  ["I6: events without a snapshot", "I6", withoutEntries(goodDayHistory, (entry) => entry.kind === "snapshot" && entry.uetr === one)],
  ["I6: a snapshot without events", "I6", withoutEntries(goodDayHistory, isRecordOfType("TransactionStateEvent", one))],
  ["I6: a body that says another state", "I6", withBody({ type: "DIRECT_DEBIT_HELD", stageVersion: 1 })],
  ["I6: a body that says another stage version", "I6", withBody({ type: "DIRECT_DEBIT_RECEIVED", stageVersion: 2 })],
  [
    "I6: a body with the payload of another moment",
    "I6",
    withBody({ type: "DIRECT_DEBIT_RECEIVED", stageVersion: 1, payload: { schema: "PaymentStatusReport" } }),
  ],
  ["I6: a body that is not JSON", "I6", changeEntries(goodDayHistory, isVersion(1), withValue({ body: "bm8=" }))],

  // ---- I8
  ["I8: released before the window opened", "I8", story({ released: 39 })],
  ["I8: released after the window closed", "I8", story({ released: 81, delivered: 82, ended: 83 })],
  ["I8: released before the gate opened", "I8", story({ released: 41 })],
  [
    "I8: released to a bank that the gate excepts",
    "I8",
    changeEntries(goodDayHistory, isRecordOfType("GateOpened"), withValue({ except: [historyBank] })),
  ],
  [
    "I8: released in the window of another partition",
    "I8",
    changeEntries(goodDayHistory, isRecordOfType("WindowOpened"), (entry: RecordEntry) => ({ ...entry, partition: 1 })),
  ],
  [
    "I8: released in another window than the open one",
    "I8",
    changeEntries(goodDayHistory, isRecordOfType("Release", one), withValue({ windowNumber: 2 })),
  ],
  [
    "I8: RELEASED by a record that is no release",
    "I8",
    changeEntries(goodDayHistory, isRecordOfType("Release", one), (entry: RecordEntry) => ({ ...entry, type: "DayClosed" })),
  ],
  [
    "I8: a debit arrived before its release",
    "I8",
    changeEntries(goodDayHistory, isReceived("inboundDirectDebit", one), (entry: ReceivedEntry) => ({ ...entry, atMs: 49_999 })),
  ],
  [
    "I8: an unknown debit arrived",
    "I8",
    [...goodDayHistory, receivedEntry(numberedUetr(9), 60, "inboundDirectDebit", outgoingId(numberedUetr(9), "D"))],
  ],
  [
    "I8: a lower key was passed over",
    "I8",
    [...dayMarkers, ...debitHistory({ ...completedDebit, released: 60, delivered: 61, ended: 62 }), ...debitHistory(secondCompletedDebit)],
  ],
  ["I8: a lower key was never released", "I8", [...dayMarkers, ...debitHistory(unreleasedDebit), ...debitHistory(secondCompletedDebit)]],

  [
    "I8: a lower key is still held",
    "I8",
    [
      ...dayMarkers.slice(0, 3),
      ...debitHistory({ ...unreleasedDebit, reconciled: undefined, items: [] }),
      ...debitHistory(secondCompletedDebit),
    ],
  ],
  [
    "I8: released after the day was reconciled, though its window's close never came",
    "I8",
    [
      ...dayMarkers.filter((entry) => entry.type !== "WindowClosed"),
      ...debitHistory({ ...completedDebit, released: 95, delivered: 96, ended: 97 }),
    ],
  ],

  // ---- I10
  [
    "I10: RECONCILIATION without a close and without an item",
    "I10",
    [...dayMarkers.slice(0, 4), ...debitHistory({ ...unreportedDebit, items: [] })],
  ],
  ["I10: an unresolved debit has no item", "I10", [...dayMarkers, ...debitHistory({ ...unreportedDebit, items: [] })]],
  [
    "I10: an unresolved debit has two items",
    "I10",
    [...dayMarkers, ...debitHistory({ ...unreportedDebit, items: [snapshotItem(9, "DELIVERED"), snapshotItem(9, "DELIVERED")] })],
  ],
  [
    "I10: the item is of another day",
    "I10",
    [...dayMarkers, ...debitHistory({ ...unreportedDebit, items: [snapshotItem(9, "DELIVERED", { day: nextHistoryDay })] })],
  ],
  [
    "I10: the row does not fit the state",
    "I10",
    [...dayMarkers, ...debitHistory({ ...unreportedDebit, items: [snapshotItem(7, "DELIVERED")] })],
  ],
  [
    "I10: the row is still open at rest",
    "I10",
    [...dayMarkers, ...debitHistory({ ...unansweredDebit, items: [snapshotItem(null, "RELEASED")] })],
  ],
  ["I10: a completed debit has an item", "I10", story({ items: [snapshotItem(9, "DELIVERED")] })],
  ["I10: a debit was completed after the close", "I10", story({ ended: 95 })],
  ["I10: RECONCILIATION without a close", "I10", withoutEntries(goodDayHistory, isRecordOfType("DayReconciled"))],
  [
    "I10: RECONCILIATION at the close of another day than its own",
    "I10",
    [...dayMarkers, ...debitHistory({ ...unreportedDebit, reconciliationDay: nextHistoryDay })],
  ],
  ["I10: unresolved at the close, but left as it was", "I10", story({ ended: undefined })],
];

test.each(rejected)("rejected: %s", (_title, promise, history) => {
  expect(brokenPromises(history)).toContain(promise);
});

test.each([
  ["RECEIVED", "REPORTED"],
  ["RECEIVED", "HELD"],
  ["RECEIVED", "ACCEPTED", "HELD"],
  ["RECEIVED", "ACCEPTED", "REPORTED", "RELEASED"],
  ["RECEIVED", "ACCEPTED", "REPORTED", "RECONCILIATION"],
  ["RECEIVED", "REJECTED", "HELD"],
  ["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "DELIVERED"],
  ["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED", "COMPLETED"],
  ["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED", "DELIVERED", "HELD"],
  ["RECEIVED", "RECEIVED"],
  ["ACCEPTED"],
])("rejected: I6: a path that ends %s %s %s %s %s %s %s", (...states) => {
  const illegal = checkHistory(walk(states), { isDrained: false }).violations.filter((violation) => violation.promise === "I6");
  expect(illegal.map((violation) => violation.text)).toEqual([expect.stringContaining("does not follow")]);
});

test("rejected: I6: stage versions that begin at 2, in events and snapshot alike", () => {
  expect(brokenPromises(walk(["RECEIVED", "ACCEPTED"], 2), { isDrained: false })).toEqual(["I6"]);
});

test("rejected: I10: a debit was completed after the close, though other work has not ended", () => {
  expect(brokenPromises(story({ ended: 95 }), { isDrained: false })).toEqual(["I10"]);
});

test("a record read twice counts once", () => {
  const twice = [...goodDayHistory, ...goodDayHistory.filter((entry) => entry.kind === "record")];
  expect(checkHistory(twice)).toEqual(checkHistory(goodDayHistory));
});

const accepted: readonly (readonly [string, History, CheckOptions?])[] = [
  ["nothing at all", []],
  // ---- I1
  [
    "I1: more records than 202s: the caller did not hear the answer and sent again",
    withObservation([...goodDayHistory, sentEntry(one, 20, "outboundDirectDebit", null), historyDebitRecord(one, 20)], one, 20, "repeat"),
  ],
  ["I1: a request without an answer is nowhere", [...goodDayHistory, sentEntry(numberedUetr(9), 20, "outboundDirectDebit", null)]],
  [
    "I1: a request answered 400 or 503 is nowhere",
    [
      ...goodDayHistory,
      sentEntry(numberedUetr(9), 20, "outboundDirectDebit", 400),
      sentEntry(numberedUetr(9), 21, "outboundDirectDebit", 503),
    ],
  ],
  [
    "I1: a UETR sent in upper case",
    changeEntries(
      goodDayHistory,
      (entry): entry is SentEntry => entry.kind === "sent" && entry.uetr === one,
      (entry: SentEntry) => ({ ...entry, uetr: one.toUpperCase() }),
    ),
  ],
  [
    "I1: a conflict and a refused duplicate are recorded as observations",
    withObservation(
      withObservation(
        [...goodDayHistory, historyDebitRecord(one, 20, { contentHash: "c2" }), historyDebitRecord(one, 21, { sender: "bank-b" })],
        one,
        20,
        "conflict",
      ),
      one,
      21,
      "duplicate-refused",
    ),
  ],
  [
    "I1: an orphan",
    [
      ...goodDayHistory,
      sentEntry(numberedUetr(8), 20, "inboundDirectDebitResponse"),
      historyReportRecord(numberedUetr(8), 20),
      orphan(numberedUetr(8), 20),
    ],
  ],
  ["I1: observations older than the last ten are gone", manyRepeats()],
  [
    "I1: a message is still on its way before all work has ended",
    [...goodDayHistory, sentEntry(numberedUetr(9), 20), historyDebitRecord(numberedUetr(9), 20)],
    { isDrained: false },
  ],

  // ---- I3
  [
    "I3: the same message received again and again, with the same bytes",
    [
      ...goodDayHistory,
      receivedEntry(one, 60, "inboundDirectDebit", outgoingId(one, "D")),
      receivedEntry(one, 61, "inboundDirectDebit", outgoingId(one, "D")),
    ],
  ],
  [
    "I3: a replayed event and dispatch, with the same id and content",
    [
      ...goodDayHistory,
      historyEventRecord(one, 2, "ACCEPTED", 2, 700),
      historyRecord("dispatch", 60, one, "Dispatch", {
        body: "",
        operation: "inboundDirectDebit",
        bank: historyBank,
        uetr: one,
        causedByOffset: "50",
        messageIdentification: outgoingId(one, "D"),
      }),
    ],
  ],
  [
    "I3: a report sent once more, and a refusal, under their own ids",
    [
      ...goodDayHistory,
      receivedEntry(one, 60, "outboundDirectDebitResponse", `Y${"0".repeat(34)}`),
      receivedEntry(one, 61, "outboundDirectDebitResponse", `X${"0".repeat(34)}`),
    ],
  ],
  [
    "I3: two debits share a messageIdentification",
    changeEntries(
      goodDayHistory,
      isRecordOfType("DirectDebitReceived", two),
      withValue({ debit: { messageIdentifiers: { messageIdentification: "M-01" } } }),
    ).map((entry) => sharing(entry)),
  ],
  ["I3: a close was applied with a repeat", closedByRepeat()],

  // ---- I4
  ["I4: a repeat of an earlier event after a later one", [...goodDayHistory, receivedEventEntry(one, 2, "ACCEPTED", 60)]],
  [
    "I4: an event acknowledged at its third attempt, the next after that",
    changeEntries(goodDayHistory, isReceived("events", one, 2), answering(503)).flatMap((entry): History =>
      isReceived("events", one, 2)(entry)
        ? [entry, receivedEventEntry(one, 2, "ACCEPTED", 2, { status: null }), receivedEventEntry(one, 2, "ACCEPTED", 2, { status: 200 })]
        : [entry],
    ),
  ],
  [
    "I4: the acknowledgement was lost on the way and the event came again",
    goodDayHistory.flatMap((entry): History => (isReceived("events", one, 2)(entry) ? [entry, entry, entry] : [entry])),
  ],
  [
    "I4: a gap with a recorded give-up",
    [...withoutEntries(goodDayHistory, isReceived("events", one, 3)), receipt(historyEventId(one, 3), "EXPIRED")],
  ],
  [
    "I4: a refused event, given up at once",
    [...changeEntries(goodDayHistory, isReceived("events", one, 3), answering(400)), receipt(historyEventId(one, 3), "REFUSED")],
  ],
  [
    "I4: an event acknowledged by the bank's own code for a repeat",
    [...changeEntries(goodDayHistory, isReceived("events", one, 3), answering(409)), receipt(historyEventId(one, 3), "ACKNOWLEDGED")],
  ],
  [
    "I4: UETRs out of order among each other",
    [
      ...goodDayHistory.filter((entry) => entry.kind !== "received"),
      ...goodDayHistory.filter((entry) => entry.kind === "received").toSorted((a, b) => b.uetr.localeCompare(a.uetr)),
    ],
  ],

  // ---- I5, I6
  [
    "I5: a late report is recorded as an observation in RECONCILIATION",
    withObservation([...goodDayHistory, historyReportRecord(numberedUetr(4), 95)], numberedUetr(4), 95, "report-late"),
  ],
  [
    "I5: a debit of a day that is not reconciled goes on",
    [...dayMarkers.slice(0, 4), ...debitHistory({ ...completedDebit, ended: undefined })],
  ],
  [
    "I5: a rejection that closes with the next day waits for its acknowledgement",
    [...dayMarkers, ...debitHistory({ ...badAccountDebit, reported: undefined, reconciliationDay: nextHistoryDay })],
  ],
  ["I6: a report proved delivery: two events of one cause", story({ delivered: 52, ended: 52 })],
  ["I6: the snapshot is ahead of the events before all work has ended", withoutEntries(goodDayHistory, isVersion(7)), { isDrained: false }],
  ["I6: a body that agrees", withBody({ type: "DIRECT_DEBIT_RECEIVED", stageVersion: 1, payload: { schema: "DirectDebit" } })],
  ["I6: a body without a payload", withBody({ type: "DIRECT_DEBIT_RECEIVED", stageVersion: 1 })],

  // ---- I8
  [
    "I8: a release that came too early had no effect, and a second one had",
    [
      ...goodDayHistory,
      historyRecord("journal", 30, one, "Release", { scheme: "ZA_EFT", businessDate: "2026-11-20", windowNumber: 1, bank: historyBank }),
    ],
  ],
  [
    "I8: a marker is repeated at a higher offset",
    [...goodDayHistory, historyMarker(70, "WindowOpened"), historyMarker(85, "GateOpened", { banks: null, except: [] })],
  ],
  [
    "I8: delivery is tried after the window closed",
    [...goodDayHistory, receivedEntry(one, 85, "inboundDirectDebit", outgoingId(one, "D"))],
  ],
  ["I8: the gate of an excepted bank opens by itself", gateByItself()],
  [
    "I8: a lower key became held only when the release was on its way",
    [
      ...dayMarkers,
      ...debitHistory({ ...completedDebit, reported: 52, released: 60, delivered: 61, ended: 62 }),
      ...debitHistory(secondCompletedDebit),
    ],
  ],
  ["I8: another bank's debit with a higher key goes first", otherBankFirst()],
  [
    "I8: the bank's clock is behind, within the tolerance",
    changeEntries(goodDayHistory, isReceived("inboundDirectDebit", one), (entry: ReceivedEntry) => ({ ...entry, atMs: 49_500 })),
    { clockToleranceMs: 500 },
  ],

  // ---- I10
  [
    "I10: the close met a debit that was only received",
    story({
      verified: undefined,
      reported: undefined,
      released: undefined,
      delivered: undefined,
      ended: undefined,
      reconciled: 91,
      items: [snapshotItem(4, "RECEIVED")],
    }),
  ],
  [
    "I10: a debit received after the close",
    [
      ...dayMarkers,
      historyMarker(95, "DayTimes"),
      ...debitHistory({ number: 6, received: 96, reconciled: 96, items: [snapshotItem(4, "RECEIVED")] }).filter(
        (entry) => !isRecordOfType("DayClosed")(entry),
      ),
    ],
  ],
  [
    "I10: an item shown early, taken over by the close",
    [...dayMarkers, ...debitHistory({ ...unansweredDebit, items: [snapshotItem(3, "RELEASED")] })],
  ],
  [
    "I10: an item shown early, settled by the bank's report",
    story({ items: [snapshotItem(3, "RELEASED", { settledAtMs: offsetToMs(52) })] }),
  ],
  [
    "I10: an item shown early, then settled, and another at the close",
    [
      ...dayMarkers,
      ...debitHistory({ ...unreportedDebit, items: [snapshotItem(3, "RELEASED", { settledAtMs: 1 }), snapshotItem(9, "DELIVERED")] }),
    ],
  ],
  [
    "I10: an item shown early before any close",
    [
      ...dayMarkers.slice(0, 4),
      ...debitHistory({ ...completedDebit, delivered: undefined, ended: undefined, items: [snapshotItem(3, "RELEASED")] }),
    ],
  ],
  [
    "I10: a day is reconciled, and its items are not made yet, before all work has ended",
    story({ ended: undefined }),
    { isDrained: false },
  ],
  [
    "I10: the verdict moved the close to the next day",
    [
      ...dayMarkers,
      ...debitHistory({
        ...completedDebit,
        released: undefined,
        delivered: undefined,
        ended: undefined,
        reconciliationDay: nextHistoryDay,
      }),
    ],
  ],
  [
    "I10: a verdict on a conflicting message names another close",
    withObservation(
      [...dayMarkers, ...debitHistory({ ...unreportedDebit, received: 1, verified: 5 }), ...verifiedConflict()],
      numberedUetr(4),
      2,
      "conflict",
    ),
  ],
  ["I10: a verdict at a lower offset than its debit means nothing", [...goodDayHistory, strayVerdict()]],
  ["I10: the provisional day closed before the verdict came", [...dayMarkers, ...lateVerdict()]],
];

test.each(accepted.map(([title, history, options]) => ({ title, history, options })))("accepted: $title", ({ history, options }) => {
  expect(findViolations(history, options)).toEqual([]);
});

// ---- odd histories

function isVersion(stageVersion: number): (entry: HistoryEntry) => entry is RecordEntry {
  return (entry): entry is RecordEntry =>
    isRecordOfType("TransactionStateEvent", one)(entry) && entry.value["stageVersion"] === stageVersion;
}

function withValue(members: object): (entry: RecordEntry) => RecordEntry {
  return (entry) => ({ ...entry, value: { ...entry.value, ...members } });
}

function at(offset: number): (entry: RecordEntry) => RecordEntry {
  return (entry) => ({ ...entry, offset: String(offset * 100) });
}

function answering(status: number | null): (entry: ReceivedEntry) => ReceivedEntry {
  return (entry) => ({ ...entry, status });
}

function withBody(body: object): History {
  const base64 = new TextEncoder().encode(JSON.stringify(body)).toBase64();
  return changeEntries(goodDayHistory, isVersion(1), withValue({ body: base64 }));
}

function receipt(webhookId: string, outcome: string): RecordEntry {
  return historyRecord("receipts", 900, one, "Receipt", { webhookId, uetr: one, bank: historyBank, operation: "events", outcome });
}

function orphan(uetr: string, offset: number): SnapshotEntry {
  const observations = [{ kind: "report-orphan", messageIdentification: "P-08", offset: String(offset) }];
  return { kind: "snapshot", uetr, state: "ORPHAN", reconciliationDay: null, transitions: [], items: [], observations };
}

/** Fifteen repeats, of which the last ten observations are kept. The repeat at `lostAt` has no observation. */
function manyRepeats(lostAt: number | null = null): History {
  const offsets = Array.from({ length: 15 }, (_, index) => 20 + index);
  const repeats = offsets.flatMap((offset) => [sentEntry(one, offset), historyDebitRecord(one, offset)]);
  const recorded = offsets.filter((offset) => offset !== lostAt).slice(-10);
  const observations = recorded.map((offset) => ({ kind: "repeat", messageIdentification: "M-01", offset: String(offset) }));
  return withSnapshot([...goodDayHistory, ...repeats], one, (snapshot) => ({ ...snapshot, observations }));
}

function sharing(entry: HistoryEntry): HistoryEntry {
  if (entry.kind === "sent" && entry.uetr === two && entry.operation === "outboundDirectDebit")
    return { ...entry, messageIdentification: "M-01" };
  if (!isRecordOfType("AccountVerified", two)(entry)) return entry;
  return withValue({ messageIdentification: "M-01" })(entry);
}

/** The bank repeats its debit after the close, and the close is applied with that repeat. */
function closedByRepeat(): History {
  const four = numberedUetr(4);
  const closed = changeEntries(goodDayHistory, isRecordOfType("DayClosed", four), () => historyDebitRecord(four, 91));
  return withObservation([...closed, sentEntry(four, 91)], four, 91, "repeat");
}

function gateByItself(): History {
  const excepted = changeEntries(goodDayHistory, isRecordOfType("GateOpened"), withValue({ except: [historyBank] }));
  return [...excepted, historyMarker(43, "GateOpened", { banks: [historyBank], except: [], number: 2 })];
}

function otherBankFirst(): History {
  const first = debitHistory({ ...completedDebit, released: 60, delivered: 61, ended: 62 }).map((entry): HistoryEntry => {
    if (entry.kind !== "record" || !["AccountVerified", "Release"].includes(entry.type)) return entry;
    return withValue({ bank: "bank-b" })(entry);
  });
  return [...dayMarkers, ...first, ...debitHistory(secondCompletedDebit)];
}

/** A debit that was received before the close and verified after it, so that the verdict changes nothing. */
function lateVerdict(): History {
  const debit = debitHistory({ number: 6, received: 30, reconciled: 91, items: [snapshotItem(4, "RECEIVED")] });
  const verified = { sender: historyBank, messageIdentification: "M-06", contentHash: "c1" };
  return [
    ...debit,
    historyRecord("journal", 92, numberedUetr(6), "AccountVerified", {
      ...verified,
      bank: historyBank,
      businessDate: "2026-11-23",
      reconciliationDay: nextHistoryDay,
    }),
  ];
}

/** The same identification with other content, verified before the accepted message: its verdict means nothing. */
function verifiedConflict(): History {
  const four = numberedUetr(4);
  const verified = { sender: historyBank, messageIdentification: "M-04", contentHash: "c2" };
  return [
    historyDebitRecord(four, 2, { contentHash: "c2" }),
    historyRecord("journal", 3, four, "AccountVerified", {
      ...verified,
      bank: historyBank,
      businessDate: "2026-11-23",
      reconciliationDay: nextHistoryDay,
    }),
  ];
}

/** Builds events and a snapshot that agree on these states, and nothing else. */
function walk(states: readonly string[], firstVersion = 1): History {
  const transitions = states.map((state, index) => ({ stageVersion: index + firstVersion, state, offset: String(index + 1), atMs: 1 }));
  const snapshot: SnapshotEntry = {
    kind: "snapshot",
    uetr: one,
    state: states.at(-1) ?? "",
    reconciliationDay: historyDay,
    transitions,
    items: [],
    observations: [],
  };
  return [snapshot, ...states.map((state, index) => historyEventRecord(one, index + firstVersion, state, index + 1, index + 1))];
}

function strayVerdict(): HistoryEntry {
  const verified = { sender: historyBank, messageIdentification: "M-04", contentHash: "c1" };
  return historyRecord("journal", 0, numberedUetr(4), "AccountVerified", {
    ...verified,
    bank: historyBank,
    businessDate: "2026-11-23",
    reconciliationDay: nextHistoryDay,
  });
}
