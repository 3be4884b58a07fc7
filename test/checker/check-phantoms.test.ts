// I2 and I13: histories with records that nothing traces to a request, and outcomes that receivers of events changed.

import { expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import type { CheckOptions } from "./evidence/evidence.ts";
import { creditHistory } from "./flow-histories.fixture.ts";
import {
  changeEntries,
  completedDebit,
  dayMarkers,
  debitHistory,
  goodDayHistory,
  historyBank,
  historyDebitRecord,
  historyEventId,
  historyEventRecord,
  historyRecord,
  historyReportRecord,
  isRecordOfType,
  numberedUetr,
  outgoingId,
  receivedEntry,
  receivedEventEntry,
  sentEntry,
  withoutEntries,
} from "./histories.fixture.ts";
import type { HistoryEntry, RecordEntry, SentEntry, SnapshotEntry, Violation } from "./history.ts";

type History = readonly HistoryEntry[];
const one = numberedUetr(1);
const nine = numberedUetr(9);
const action = { id: "a-1", operator: "thabo", reason: "again", requestedAtMs: 1 };

function textsOf(promise: Violation["promise"], history: History, options: CheckOptions = {}): readonly string[] {
  return checkHistory(history, options)
    .violations.filter((violation) => violation.promise === promise)
    .map(({ text }) => text);
}

function isFirstRequest(entry: HistoryEntry): entry is SentEntry {
  return entry.kind === "sent" && entry.uetr === one && entry.operation === "outboundDirectDebit";
}

function withAnswer(status: number | null): History {
  return changeEntries(goodDayHistory, isFirstRequest, (entry) => ({ ...entry, status }));
}

const asked = (status: number | null): SentEntry => ({
  ...sentEntry(one, 60, "operatorAction", status),
  bank: "thabo",
  messageIdentification: "a-1",
});
const redrive = (target: string, messageIdentification: string): RecordEntry =>
  historyRecord("journal", 60, one, "RedriveRequested", { action, target, messageIdentification });

const phantoms: readonly (readonly [string, History, RegExp])[] = [
  ["a debit that nobody sent", withoutEntries(goodDayHistory, isFirstRequest), /1 records of .*, and of 0 requests 0/],
  ["a debit whose request was refused", withAnswer(422), /1 records of .*, and of 1 requests 0/],
  [
    "a report under an identification that nobody sent",
    [...goodDayHistory, historyReportRecord(one, 60, "P-other")],
    /1 records of .*P-other.*, and of 0 requests 0/,
  ],
  [
    "a second record of a debit that was sent once",
    [...goodDayHistory, historyDebitRecord(one, 60)],
    /2 records of .*, and of 1 requests 1/,
  ],
  [
    "credits declared final by nobody",
    [...goodDayHistory, historyRecord("journal", 39, "ZA_EFT:2026-11-20", "CreditsFinalRequested", { requestedBy: "clearing" })],
    /CreditsFinalRequested.*of 0 requests 0/,
  ],
  [
    "an action beside one that an operator asked for",
    [...goodDayHistory, redrive("DELIVERY", "x"), { ...asked(202), messageIdentification: "a-2" }],
    /RedriveRequested at offset 60 is the action a-1, which no operator asked for/,
  ],
  [
    "a verdict on a message that is not there",
    changeEntries(goodDayHistory, isRecordOfType("AccountVerified", one), (entry) => ({
      ...entry,
      value: { ...entry.value, contentHash: "c9" },
    })),
    /AccountVerified at offset 2 names M-01, which is not before it/,
  ],
  [
    "the end of a delivery that was never dispatched",
    [...goodDayHistory, historyRecord("journal", 60, one, "DeliveryEnded", { messageIdentification: outgoingId(nine, "D") })],
    /DeliveryEnded at offset 60 names .*D, which was never dispatched/,
  ],
  [
    "an event that another transaction's record caused",
    [...goodDayHistory, historyEventRecord(one, 8, "COMPLETED", 4, 990)],
    /TransactionStateEvent at offset 990 was caused by offset 4, where the journal has DirectDebitReceived of/,
  ],
  [
    "a message without a cause",
    [...goodDayHistory, historyRecord("dispatch", 60, one, "Dispatch", { uetr: one, causedByOffset: "999", bank: historyBank })],
    /Dispatch at offset 60 was caused by offset 999, where the journal has nothing/,
  ],
  [
    "events of a transaction without a debit",
    withoutEntries(debitHistory(completedDebit), isRecordOfType("DirectDebitReceived")),
    /7 events, though the journal has no debit or credit/,
  ],
  [
    "a transaction that the store has and the journal has not",
    [...goodDayHistory, ...goodDayHistory.filter(isSnapshotOfOne).map((entry) => ({ ...entry, uetr: nine }))],
    /the store has it as COMPLETED, and the journal has no record of it/,
  ],
  [
    "a transition at another transaction's record",
    changeEntries(goodDayHistory, isSnapshotOfOne, (entry) => ({
      ...entry,
      transitions: entry.transitions.map((made) => (made.stageVersion === 1 ? { ...made, offset: "4" } : made)),
    })),
    /RECEIVED was entered at offset 4, which is no record of this transaction/,
  ],
  [
    "a request that no record produced",
    [...goodDayHistory, receivedEntry(one, 60, "inboundDirectDebit", outgoingId(nine, "D"))],
    /bank-a received .*D, which nothing was produced for/,
  ],
  [
    "a request that was produced for another receiver",
    [...goodDayHistory, receivedEntry(one, 60, "inboundDirectDebit", outgoingId(one, "D"), { bank: "bank-b" })],
    /bank-b received .*D, which nothing was produced for/,
  ],
  [
    "a receipt of what was never produced",
    [...goodDayHistory, historyRecord("receipts", 60, one, "Receipt", { webhookId: "x", uetr: one, bank: historyBank })],
    /the receipt at offset 60 is about bank-a x .*, which was never produced/,
  ],
];

function isSnapshotOfOne(entry: HistoryEntry): entry is SnapshotEntry {
  return entry.kind === "snapshot" && entry.uetr === one;
}

test.each(phantoms)("I2, rejected: %s", (_what, history, text) => {
  expect(textsOf("I2", history)).toContainEqual(expect.stringMatching(text));
});

const traced: readonly (readonly [string, History, CheckOptions?])[] = [
  ["a day as it should be", goodDayHistory],
  ["a request without an answer, of which there is a record", withAnswer(null)],
  ["a request answered 503, of which there is a record", withAnswer(503)],
  ["a request that was refused and left nothing", [...goodDayHistory, sentEntry(nine, 20, "outboundDirectDebit", 422)]],
  ["a request that is refused once and taken later", [...goodDayHistory, { ...sentEntry(one, 0, "outboundDirectDebit", 429) }]],
  ["a debit whose sender has not heard an answer yet", withoutEntries(goodDayHistory, isFirstRequest), { isDrained: false }],
  ["an action of an operator whose requests nobody recorded", [...goodDayHistory, redrive("DELIVERY", "x")]],
  ["an action that an operator asked for", [...goodDayHistory, redrive("DELIVERY", "x"), asked(202)]],
  ["an action that an operator asked for without an answer", [...goodDayHistory, redrive("DELIVERY", "x"), asked(null)]],
  [
    "a debit that a replay of dead letters appended again",
    [
      ...goodDayHistory,
      historyRecord("journal", 60, one, "DeadLettersReplayed", { action, records: 1, left: [] }),
      historyDebitRecord(one, 61),
    ],
  ],
  ["a change of a delivery that a marker caused", [...goodDayHistory, stopAt(90)]],
];

test.each(traced.map(([what, history, options]) => ({ what, history, options })))("I2, accepted: $what", ({ history, options }) => {
  expect(textsOf("I2", history, options)).toEqual([]);
});

function stopAt(causedBy: number): RecordEntry {
  const value = {
    uetr: one,
    messageIdentification: outgoingId(one, "D"),
    bank: historyBank,
    change: "STOP",
    causedByOffset: String(causedBy),
  };
  return historyRecord("dispatch", 95, one, "DispatchChange", value);
}

test("I2: the report counts what was refused and what was traced", () => {
  const { counts } = checkHistory([...goodDayHistory, sentEntry(nine, 20, "outboundDirectDebit", 400)]);
  expect([counts["requestsRefused"], (counts["recordsTraced"] ?? 0) > 30]).toEqual([1, true]);
});

test("I13: an end of a posting in the journal is rejected", () => {
  const ended = historyRecord("journal", 60, one, "DeliveryEnded", { messageIdentification: historyEventId(one, 3), outcome: "REFUSED" });
  expect(textsOf("I13", goodDayHistory)).toEqual([]);
  expect(textsOf("I13", [...goodDayHistory, ended])).toEqual(["DeliveryEnded at offset 60 is about the event event-01-3"]);
});

test("I13: an operator's request about a posting causes no state and no message", () => {
  const posting = [...goodDayHistory, redrive("POSTING", historyEventId(one, 3))];
  expect(textsOf("I13", posting)).toEqual([]);
  const state = historyEventRecord(one, 8, "RECONCILIATION", 60, 990);
  const message = historyRecord("dispatch", 60, one, "Dispatch", { uetr: one, causedByOffset: "60", bank: historyBank });
  expect(textsOf("I13", [...posting, state])).toEqual(["RECONCILIATION was entered by a request about a posting (offset 60)"]);
  expect(textsOf("I13", [...posting, message])).toEqual(["Dispatch at offset 60 was caused by a request about a posting (offset 60)"]);
  expect(textsOf("I13", [...goodDayHistory, redrive("DELIVERY", outgoingId(one, "D")), state, message])).toEqual([]);
});

test("I13: a message waits for no event that its receiver fails, where first attempts have a bound", () => {
  const failed = receivedEventEntry(one, 1, "RECEIVED", 0, { status: 500 });
  const history = [...dayMarkers, failed, ...creditHistory({ number: 2, received: 10, verified: 11 })];
  const late = changeEntries(history, isCreditArrival, (entry) => ({ ...entry, atMs: entry.atMs + 8_000 }));
  const options = { firstAttemptWithinMs: 5_000, isDrained: false };
  expect(textsOf("I13", history, options)).toEqual([]);
  expect(textsOf("I13", late, options)).toEqual([
    expect.stringMatching(/was first tried after 8000 ms, though only events of bank-a failed/),
  ]);
  expect(textsOf("I13", late)).toEqual([]);
  const alsoMessages = [...late, receivedEntry(nine, 12, "inboundDirectDebit", outgoingId(nine, "D"), { status: 500 })];
  expect(textsOf("I13", alsoMessages, options)).toEqual([]);
});

function isCreditArrival(entry: HistoryEntry): entry is Extract<HistoryEntry, { readonly kind: "received" }> {
  return entry.kind === "received" && entry.operation === "inboundCreditTransferAuthorization";
}
