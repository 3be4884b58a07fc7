// For every promise: histories that the checker must reject, and odd but legal ones that it must accept.

import { expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import type { CheckOptions } from "./evidence.ts";
import {
  atMsOf,
  badAccount,
  bank,
  change,
  day,
  debitRecord,
  eventId,
  eventReceived,
  eventRecord,
  good,
  heldOnly,
  goodDay,
  isRecord,
  item,
  marker,
  markers,
  nextDay,
  received,
  record,
  reportRecord,
  second,
  sent,
  sentId,
  silent,
  tell,
  uetrOf,
  unreported,
  without,
} from "./given.ts";
import type { HistoryEntry, ReceivedEntry, RecordEntry, SentEntry, SnapshotEntry, Violation } from "./history.ts";

type History = readonly HistoryEntry[];
const one = uetrOf(1);
const two = uetrOf(2);

function broken(history: History, options: CheckOptions = {}): readonly Violation["promise"][] {
  return [...new Set(checkHistory(history, options).violations.map((violation) => violation.promise))].toSorted();
}

function withSnapshot(history: History, uetr: string, changed: (snapshot: SnapshotEntry) => SnapshotEntry): History {
  return change(history, (entry): entry is SnapshotEntry => entry.kind === "snapshot" && entry.uetr === uetr, changed);
}

function withRemark(history: History, uetr: string, offset: number, kind: string): History {
  const remark = { kind, messageIdentification: "M-01", offset: String(offset) };
  return withSnapshot(history, uetr, (snapshot) => ({ ...snapshot, remarks: [...snapshot.remarks, remark] }));
}

function isReceived(
  operation: ReceivedEntry["operation"],
  uetr: string,
  stageVersion: number | null = null,
): (entry: HistoryEntry) => entry is ReceivedEntry {
  return (entry): entry is ReceivedEntry =>
    entry.kind === "received" && entry.operation === operation && entry.uetr === uetr && entry.stageVersion === stageVersion;
}

/** The entry is moved to the end of the history. */
function last(history: History, isMeant: (entry: HistoryEntry) => boolean): History {
  return [...without(history, isMeant), ...history.filter(isMeant)];
}

function story(changes: object, base: object = good): History {
  return [...markers, ...tell({ ...good, ...base, ...changes })];
}

test("a good day has no violations, and the report says how much was looked at", () => {
  const report = checkHistory(goodDay);
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
  const [first] = checkHistory(without(goodDay, isRecord("StatusReportReceived", one))).violations;
  expect(first).toMatchObject({ promise: "I1", uetr: one, text: expect.stringMatching(/answered 202, but the journal has 0 records/) });
});

const rejected: readonly (readonly [string, Violation["promise"], History])[] = [
  // ---- I1
  ["I1: a debit answered 202 is not in the journal", "I1", [...goodDay, sent(uetrOf(9), 20)]],
  ["I1: a report answered 202 is not in the journal", "I1", without(goodDay, isRecord("StatusReportReceived", one))],
  ["I1: two requests were answered 202, one record was written", "I1", [...goodDay, sent(one, 20)]],
  ["I1: a debit is in the journal, but was never folded in", "I1", [...goodDay, sent(uetrOf(9), 20), debitRecord(uetrOf(9), 20)]],
  ["I1: a second message left neither a transition nor a remark", "I1", [...goodDay, sent(one, 20), debitRecord(one, 20)]],
  [
    "I1: a message whose turn only saw the close was lost",
    "I1",
    change(goodDay, isRecord("DayClosed", uetrOf(4)), (entry: RecordEntry) => ({
      ...reportRecord(uetrOf(4), 91),
      partition: entry.partition,
    })),
  ],
  [
    "I1: an earlier message left nothing, though a later one is remarked",
    "I1",
    withRemark([...goodDay, debitRecord(one, 20), debitRecord(one, 21)], one, 21, "repeat"),
  ],
  ["I1: among more than ten remarked messages, one left nothing", "I1", manyRepeats(30)],
  ["I1: one UETR lies in two partitions", "I1", [...goodDay, { ...record("journal", 60, one, "DayClosed", { day }), partition: 1 }]],

  // ---- I3
  ["I3: a repeat with other bytes", "I3", [...goodDay, received(one, 60, "inboundDirectDebit", sentId(one, "D"), { bodyHash: "other" })]],
  ["I3: an event's repeat with other bytes", "I3", [...goodDay, eventReceived(one, 2, "ACCEPTED", 60, { bodyHash: "other" })]],
  ["I3: a debit under a second identification", "I3", [...goodDay, received(one, 60, "inboundDirectDebit", `${sentId(one, "D")}2`)]],
  ["I3: a debit at a second bank", "I3", [...goodDay, received(one, 60, "inboundDirectDebit", sentId(one, "D"), { bank: "bank-b" })]],
  ["I3: both reports, accepted and rejected", "I3", [...goodDay, received(one, 60, "outboundDirectDebitResponse", sentId(one, "R"))]],
  [
    "I3: an event written twice with different contents",
    "I3",
    [
      ...goodDay,
      change([eventRecord(one, 2, "ACCEPTED", 2, 700)], isRecord("TransactionStateEvent"), withValue({ body: "eyJ9" }))[0] as HistoryEntry,
    ],
  ],
  [
    "I3: a dispatch written twice with different contents",
    "I3",
    [...goodDay, record("dispatch", 60, one, "Dispatch", { messageIdentification: sentId(one, "D"), uetr: one, bank, body: "other" })],
  ],
  [
    "I3: a stage version under a second id",
    "I3",
    [
      ...goodDay,
      change([eventRecord(one, 7, "COMPLETED", 52, 700)], isRecord("TransactionStateEvent"), withValue({ id: "new" }))[0] as HistoryEntry,
    ],
  ],
  [
    "I3: a repeated report took effect a second time",
    "I3",
    withSnapshot([...goodDay, reportRecord(one, 60)], one, (snapshot) => ({
      ...snapshot,
      transitions: [...snapshot.transitions, { stageVersion: 8, state: "COMPLETED", offset: "60", atMs: 1 }],
    })),
  ],

  // ---- I4
  ["I4: an event before the one before it", "I4", last(goodDay, isReceived("events", one, 3))],
  ["I4: an event while the one before it was refused only", "I4", change(goodDay, isReceived("events", one, 3), answering(503))],
  ["I4: an event while the one before it was met with silence", "I4", change(goodDay, isReceived("events", one, 3), answering(null))],
  ["I4: a gap without a give-up", "I4", without(goodDay, isReceived("events", one, 3))],
  ["I4: a gap at the beginning, though the event topic was not read", "I4", [eventReceived(one, 2, "ACCEPTED", 2)]],
  ["I4: the debit before the report on it", "I4", last(goodDay, isReceived("outboundDirectDebitResponse", one))],

  // ---- I5
  ["I5: COMPLETED was left for UNPAID", "I5", [...goodDay, eventRecord(one, 8, "UNPAID", 60, 800)]],
  [
    "I5: the snapshot left a terminal state, though no event tells",
    "I5",
    withSnapshot(goodDay, one, (snapshot) => ({
      ...snapshot,
      transitions: [...snapshot.transitions, { stageVersion: 8, state: "UNPAID", offset: "60", atMs: 1 }],
    })),
  ],
  ["I5: the day is reconciled, the transaction goes on", "I5", story({ ended: undefined })],

  // ---- I6
  ["I6: a stage version is missing", "I6", without(goodDay, isVersion(4))],
  ["I6: events in another order than their stage versions", "I6", change(goodDay, isVersion(2), at(15))],
  ["I6: HELD without REPORTED", "I6", change(goodDay, isVersion(3), withValue({ state: "ACCEPTED" }))],
  ["I6: RELEASED out of REPORTED", "I6", change(goodDay, isVersion(4), withValue({ state: "RELEASED" }))],
  ["I6: COMPLETED without DELIVERED", "I6", story({ delivered: undefined })],
  ["I6: the first state is not RECEIVED", "I6", change(goodDay, isVersion(1), withValue({ state: "ACCEPTED" }))],
  ["I6: snapshot and events name different causes", "I6", change(goodDay, isVersion(7), withValue({ causedByOffset: "60" }))],
  [
    "I6: the snapshot's state is not its last transition",
    "I6",
    withSnapshot(goodDay, one, (snapshot) => ({ ...snapshot, state: "UNPAID" })),
  ],
  ["I6: events without a snapshot", "I6", without(goodDay, (entry) => entry.kind === "snapshot" && entry.uetr === one)],
  ["I6: a snapshot without events", "I6", without(goodDay, isRecord("TransactionStateEvent", one))],
  ["I6: a body that says another state", "I6", withBody({ type: "DIRECT_DEBIT_HELD", stageVersion: 1 })],
  ["I6: a body that says another stage version", "I6", withBody({ type: "DIRECT_DEBIT_RECEIVED", stageVersion: 2 })],
  [
    "I6: a body with the payload of another moment",
    "I6",
    withBody({ type: "DIRECT_DEBIT_RECEIVED", stageVersion: 1, payload: { schema: "PaymentStatusReport" } }),
  ],
  ["I6: a body that is not JSON", "I6", change(goodDay, isVersion(1), withValue({ body: "bm8=" }))],

  // ---- I8
  ["I8: released before the window opened", "I8", story({ released: 39 })],
  ["I8: released after the window closed", "I8", story({ released: 81, delivered: 82, ended: 83 })],
  ["I8: released before the gate opened", "I8", story({ released: 41 })],
  ["I8: released to a bank that the gate excepts", "I8", change(goodDay, isRecord("GateOpened"), withValue({ except: [bank] }))],
  [
    "I8: released in the window of another lane",
    "I8",
    change(goodDay, isRecord("WindowOpened"), (entry: RecordEntry) => ({ ...entry, partition: 1 })),
  ],
  ["I8: released in another window than the open one", "I8", change(goodDay, isRecord("Release", one), withValue({ windowNumber: 2 }))],
  [
    "I8: RELEASED by a record that is no release",
    "I8",
    change(goodDay, isRecord("Release", one), (entry: RecordEntry) => ({ ...entry, type: "DayClosed" })),
  ],
  [
    "I8: a debit arrived before its release",
    "I8",
    change(goodDay, isReceived("inboundDirectDebit", one), (entry: ReceivedEntry) => ({ ...entry, atMs: 49_999 })),
  ],
  [
    "I8: a debit arrived that nothing is known of",
    "I8",
    [...goodDay, received(uetrOf(9), 60, "inboundDirectDebit", sentId(uetrOf(9), "D"))],
  ],
  ["I8: a lower key was passed over", "I8", [...markers, ...tell({ ...good, released: 60, delivered: 61, ended: 62 }), ...tell(second)]],
  ["I8: a lower key was never released", "I8", [...markers, ...tell(heldOnly), ...tell(second)]],

  [
    "I8: a lower key is still held",
    "I8",
    [...markers.slice(0, 3), ...tell({ ...heldOnly, reconciled: undefined, items: [] }), ...tell(second)],
  ],
  [
    "I8: released after the day was reconciled, though its window's close never came",
    "I8",
    [...markers.filter((entry) => entry.type !== "WindowClosed"), ...tell({ ...good, released: 95, delivered: 96, ended: 97 })],
  ],

  // ---- I10
  ["I10: RECONCILIATION without a close and without an item", "I10", [...markers.slice(0, 4), ...tell({ ...unreported, items: [] })]],
  ["I10: an unresolved debit has no item", "I10", [...markers, ...tell({ ...unreported, items: [] })]],
  [
    "I10: an unresolved debit has two items",
    "I10",
    [...markers, ...tell({ ...unreported, items: [item(9, "DELIVERED"), item(9, "DELIVERED")] })],
  ],
  ["I10: the item is of another day", "I10", [...markers, ...tell({ ...unreported, items: [item(9, "DELIVERED", { day: nextDay })] })]],
  ["I10: the row does not fit the state", "I10", [...markers, ...tell({ ...unreported, items: [item(7, "DELIVERED")] })]],
  ["I10: the row is still open at rest", "I10", [...markers, ...tell({ ...silent, items: [item(null, "RELEASED")] })]],
  ["I10: a completed debit has an item", "I10", story({ items: [item(9, "DELIVERED")] })],
  ["I10: a debit was completed after the close", "I10", story({ ended: 95 })],
  ["I10: RECONCILIATION without a close", "I10", without(goodDay, isRecord("DayReconciled"))],
  ["I10: RECONCILIATION at the close of another day than its own", "I10", [...markers, ...tell({ ...unreported, closesWith: nextDay })]],
  ["I10: unresolved at the close, but left as it was", "I10", story({ ended: undefined })],
];

test.each(rejected)("rejected: %s", (_title, promise, history) => {
  expect(broken(history)).toContain(promise);
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
  expect(broken(walk(["RECEIVED", "ACCEPTED"], 2), { isDrained: false })).toEqual(["I6"]);
});

test("rejected: I10: a debit was completed after the close, though the rest is not at rest", () => {
  expect(broken(story({ ended: 95 }), { isDrained: false })).toEqual(["I10"]);
});

test("a record read twice counts once", () => {
  const twice = [...goodDay, ...goodDay.filter((entry) => entry.kind === "record")];
  expect(checkHistory(twice)).toEqual(checkHistory(goodDay));
});

const accepted: readonly (readonly [string, History, CheckOptions?])[] = [
  ["nothing at all", []],
  // ---- I1
  [
    "I1: more records than 202s: the caller did not hear the answer and sent again",
    withRemark([...goodDay, sent(one, 20, "outboundDirectDebit", null), debitRecord(one, 20)], one, 20, "repeat"),
  ],
  ["I1: a request without an answer is nowhere", [...goodDay, sent(uetrOf(9), 20, "outboundDirectDebit", null)]],
  [
    "I1: a request answered 400 or 503 is nowhere",
    [...goodDay, sent(uetrOf(9), 20, "outboundDirectDebit", 400), sent(uetrOf(9), 21, "outboundDirectDebit", 503)],
  ],
  [
    "I1: a UETR sent in upper case",
    change(
      goodDay,
      (entry): entry is SentEntry => entry.kind === "sent" && entry.uetr === one,
      (entry: SentEntry) => ({ ...entry, uetr: one.toUpperCase() }),
    ),
  ],
  [
    "I1: a conflict and a refused duplicate are recorded beside the journey",
    withRemark(
      withRemark(
        [...goodDay, debitRecord(one, 20, { contentHash: "c2" }), debitRecord(one, 21, { sender: "bank-b" })],
        one,
        20,
        "conflict",
      ),
      one,
      21,
      "duplicate-refused",
    ),
  ],
  ["I1: an orphan", [...goodDay, sent(uetrOf(8), 20, "inboundDirectDebitResponse"), reportRecord(uetrOf(8), 20), orphan(uetrOf(8), 20)]],
  ["I1: remarks older than the last ten are gone", manyRepeats()],
  [
    "I1: a message still on its way, while not at rest",
    [...goodDay, sent(uetrOf(9), 20), debitRecord(uetrOf(9), 20)],
    { isDrained: false },
  ],

  // ---- I3
  [
    "I3: the same message received again and again, with the same bytes",
    [...goodDay, received(one, 60, "inboundDirectDebit", sentId(one, "D")), received(one, 61, "inboundDirectDebit", sentId(one, "D"))],
  ],
  [
    "I3: a replayed event and dispatch, with the same id and content",
    [
      ...goodDay,
      eventRecord(one, 2, "ACCEPTED", 2, 700),
      record("dispatch", 60, one, "Dispatch", {
        body: "",
        operation: "inboundDirectDebit",
        bank,
        uetr: one,
        messageIdentification: sentId(one, "D"),
      }),
    ],
  ],
  [
    "I3: a report sent once more, and a refusal, under their own ids",
    [
      ...goodDay,
      received(one, 60, "outboundDirectDebitResponse", `Y${"0".repeat(34)}`),
      received(one, 61, "outboundDirectDebitResponse", `X${"0".repeat(34)}`),
    ],
  ],
  [
    "I3: two debits share a messageIdentification",
    change(
      goodDay,
      isRecord("DirectDebitReceived", two),
      withValue({ debit: { messageIdentifiers: { messageIdentification: "M-01" } } }),
    ).map((entry) => sharing(entry)),
  ],
  ["I3: a close that fell into the turn of a repeat", closedByRepeat()],

  // ---- I4
  ["I4: a repeat of an earlier event after a later one", [...goodDay, eventReceived(one, 2, "ACCEPTED", 60)]],
  [
    "I4: an event acknowledged at its third attempt, the next after that",
    change(goodDay, isReceived("events", one, 2), answering(503)).flatMap((entry): History =>
      isReceived("events", one, 2)(entry)
        ? [entry, eventReceived(one, 2, "ACCEPTED", 2, { status: null }), eventReceived(one, 2, "ACCEPTED", 2, { status: 200 })]
        : [entry],
    ),
  ],
  [
    "I4: the acknowledgement was lost on the way and the event came again",
    goodDay.flatMap((entry): History => (isReceived("events", one, 2)(entry) ? [entry, entry, entry] : [entry])),
  ],
  ["I4: a gap with a recorded give-up", [...without(goodDay, isReceived("events", one, 3)), receipt(eventId(one, 3), "EXPIRED")]],
  [
    "I4: a refused event, given up at once",
    [...change(goodDay, isReceived("events", one, 3), answering(400)), receipt(eventId(one, 3), "REFUSED")],
  ],
  [
    "I4: an event acknowledged by the bank's own code for a repeat",
    [...change(goodDay, isReceived("events", one, 3), answering(409)), receipt(eventId(one, 3), "ACKNOWLEDGED")],
  ],
  [
    "I4: UETRs out of order among each other",
    [
      ...goodDay.filter((entry) => entry.kind !== "received"),
      ...goodDay.filter((entry) => entry.kind === "received").toSorted((a, b) => b.uetr.localeCompare(a.uetr)),
    ],
  ],

  // ---- I5, I6
  [
    "I5: a late report is recorded beside RECONCILIATION",
    withRemark([...goodDay, reportRecord(uetrOf(4), 95)], uetrOf(4), 95, "report-late"),
  ],
  ["I5: a debit of a day that is not reconciled goes on", [...markers.slice(0, 4), ...tell({ ...good, ended: undefined })]],
  [
    "I5: a rejection that closes with the next day waits for its acknowledgement",
    [...markers, ...tell({ ...badAccount, reported: undefined, closesWith: nextDay })],
  ],
  ["I6: a report proved delivery: two events of one cause", story({ delivered: 52, ended: 52 })],
  ["I6: the snapshot is ahead of the events, while not at rest", without(goodDay, isVersion(7)), { isDrained: false }],
  ["I6: a body that agrees", withBody({ type: "DIRECT_DEBIT_RECEIVED", stageVersion: 1, payload: { schema: "DirectDebit" } })],
  ["I6: a body without a payload", withBody({ type: "DIRECT_DEBIT_RECEIVED", stageVersion: 1 })],

  // ---- I8
  [
    "I8: a release that came too early had no effect, a second one had",
    [...goodDay, record("journal", 30, one, "Release", { scheme: "ZA_EFT", businessDate: "2026-11-20", windowNumber: 1, bank })],
  ],
  ["I8: a marker's repeat further down", [...goodDay, marker(70, "WindowOpened"), marker(85, "GateOpened", { banks: null, except: [] })]],
  ["I8: delivery is tried after the window closed", [...goodDay, received(one, 85, "inboundDirectDebit", sentId(one, "D"))]],
  ["I8: the gate of an excepted bank opens by itself", gateByItself()],
  [
    "I8: a lower key became held only when the release was on its way",
    [...markers, ...tell({ ...good, reported: 52, released: 60, delivered: 61, ended: 62 }), ...tell(second)],
  ],
  ["I8: another bank's debit with a higher key goes first", otherBankFirst()],
  [
    "I8: the bank's clock is behind, within the tolerance",
    change(goodDay, isReceived("inboundDirectDebit", one), (entry: ReceivedEntry) => ({ ...entry, atMs: 49_500 })),
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
      items: [item(4, "RECEIVED")],
    }),
  ],
  [
    "I10: a debit received after the close",
    [
      ...markers,
      marker(95, "DayTimes"),
      ...tell({ number: 6, received: 96, reconciled: 96, items: [item(4, "RECEIVED")] }).filter((entry) => !isRecord("DayClosed")(entry)),
    ],
  ],
  ["I10: an item shown early, taken over by the close", [...markers, ...tell({ ...silent, items: [item(3, "RELEASED")] })]],
  ["I10: an item shown early, settled by the bank's report", story({ items: [item(3, "RELEASED", { settledAtMs: atMsOf(52) })] })],
  [
    "I10: an item shown early, then settled, and another at the close",
    [...markers, ...tell({ ...unreported, items: [item(3, "RELEASED", { settledAtMs: 1 }), item(9, "DELIVERED")] })],
  ],
  [
    "I10: an item shown early before any close",
    [...markers.slice(0, 4), ...tell({ ...good, delivered: undefined, ended: undefined, items: [item(3, "RELEASED")] })],
  ],
  ["I10: a day is reconciled and its items are not made yet, while not at rest", story({ ended: undefined }), { isDrained: false }],
  [
    "I10: the verdict moved the close to the next day",
    [...markers, ...tell({ ...good, released: undefined, delivered: undefined, ended: undefined, closesWith: nextDay })],
  ],
  [
    "I10: a verdict on a conflicting message names another close",
    withRemark([...markers, ...tell({ ...unreported, received: 1, verified: 5 }), ...conflictJudged()], uetrOf(4), 2, "conflict"),
  ],
  ["I10: a verdict that lies before its debit means nothing", [...goodDay, strayVerdict()]],
  ["I10: the provisional day closed before the verdict came", [...markers, ...lateVerdict()]],
];

test.each(accepted.map(([title, history, options]) => ({ title, history, options })))("accepted: $title", ({ history, options }) => {
  expect(checkHistory(history, options).violations).toEqual([]);
});

// ---- odd histories

function isVersion(stageVersion: number): (entry: HistoryEntry) => entry is RecordEntry {
  return (entry): entry is RecordEntry => isRecord("TransactionStateEvent", one)(entry) && entry.value["stageVersion"] === stageVersion;
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
  return change(goodDay, isVersion(1), withValue({ body: base64 }));
}

function receipt(webhookId: string, outcome: string): RecordEntry {
  return record("receipts", 900, one, "Receipt", { webhookId, uetr: one, bank, operation: "events", outcome });
}

function orphan(uetr: string, offset: number): SnapshotEntry {
  const remarks = [{ kind: "report-orphan", messageIdentification: "P-08", offset: String(offset) }];
  return { kind: "snapshot", uetr, state: "ORPHAN", closesWith: "", transitions: [], items: [], remarks };
}

/** Fifteen repeats, of which the last ten remarks are kept; of `lostAt` there is none. */
function manyRepeats(lostAt: number | null = null): History {
  const offsets = Array.from({ length: 15 }, (_, index) => 20 + index);
  const repeats = offsets.flatMap((offset) => [sent(one, offset), debitRecord(one, offset)]);
  const remarked = offsets.filter((offset) => offset !== lostAt).slice(-10);
  const remarks = remarked.map((offset) => ({ kind: "repeat", messageIdentification: "M-01", offset: String(offset) }));
  return withSnapshot([...goodDay, ...repeats], one, (snapshot) => ({ ...snapshot, remarks }));
}

function sharing(entry: HistoryEntry): HistoryEntry {
  if (entry.kind === "sent" && entry.uetr === two && entry.operation === "outboundDirectDebit")
    return { ...entry, messageIdentification: "M-01" };
  if (!isRecord("AccountVerified", two)(entry)) return entry;
  return withValue({ messageIdentification: "M-01" })(entry);
}

/** The bank repeats its debit after the close: the repeat's turn is the one in which the close is taken. */
function closedByRepeat(): History {
  const four = uetrOf(4);
  const closed = change(goodDay, isRecord("DayClosed", four), () => debitRecord(four, 91));
  return withRemark([...closed, sent(four, 91)], four, 91, "repeat");
}

function gateByItself(): History {
  const excepted = change(goodDay, isRecord("GateOpened"), withValue({ except: [bank] }));
  return [...excepted, marker(43, "GateOpened", { banks: [bank], except: [], number: 2 })];
}

function otherBankFirst(): History {
  const first = tell({ ...good, released: 60, delivered: 61, ended: 62 }).map((entry): HistoryEntry => {
    if (entry.kind !== "record" || !["AccountVerified", "Release"].includes(entry.type)) return entry;
    return withValue({ bank: "bank-b" })(entry);
  });
  return [...markers, ...first, ...tell(second)];
}

/** Received before the close, judged after it: the close came first, and the verdict changes nothing. */
function lateVerdict(): History {
  const told = tell({ number: 6, received: 30, reconciled: 91, items: [item(4, "RECEIVED")] });
  const judged = { sender: bank, messageIdentification: "M-06", contentHash: "c1" };
  return [
    ...told,
    record("journal", 92, uetrOf(6), "AccountVerified", { ...judged, bank, businessDate: "2026-11-23", closesWith: nextDay }),
  ];
}

/** The same identification with other content, judged before the accepted one: its verdict means nothing. */
function conflictJudged(): History {
  const four = uetrOf(4);
  const judged = { sender: bank, messageIdentification: "M-04", contentHash: "c2" };
  return [
    debitRecord(four, 2, { contentHash: "c2" }),
    record("journal", 3, four, "AccountVerified", { ...judged, bank, businessDate: "2026-11-23", closesWith: nextDay }),
  ];
}

/** Events and a snapshot that agree on these states, and nothing else. */
function walk(states: readonly string[], firstVersion = 1): History {
  const transitions = states.map((state, index) => ({ stageVersion: index + firstVersion, state, offset: String(index + 1), atMs: 1 }));
  const snapshot: SnapshotEntry = {
    kind: "snapshot",
    uetr: one,
    state: states.at(-1) ?? "",
    closesWith: day,
    transitions,
    items: [],
    remarks: [],
  };
  return [snapshot, ...states.map((state, index) => eventRecord(one, index + firstVersion, state, index + 1, index + 1))];
}

function strayVerdict(): HistoryEntry {
  const judged = { sender: bank, messageIdentification: "M-04", contentHash: "c1" };
  return record("journal", 0, uetrOf(4), "AccountVerified", { ...judged, bank, businessDate: "2026-11-23", closesWith: nextDay });
}
