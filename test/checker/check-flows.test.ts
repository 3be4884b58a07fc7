// Credits and off-us debits: histories that the checker must reject, and legal ones that it must accept.

import { expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import {
  changeEntries,
  receivedEventEntry,
  isRecordOfType,
  snapshotItem,
  historyMarker,
  dayMarkers,
  historyRecord,
  numberedUetr,
  withoutEntries,
} from "./histories.fixture.ts";
import { historyConnector, creditHistory, offUsHistory, undeliveredOutcomeItem } from "./flow-histories.fixture.ts";
import type { HistoryEntry, RecordEntry, SentEntry, SnapshotEntry, Violation } from "./history.ts";

const one = numberedUetr(1);
const offUs = { number: 1, received: 1, verified: 2, released: 50, delivered: 51, ended: 52, outcomeReported: 53 } as const;
const unreported = { number: 2, received: 45, verified: 46, delivered: 47, expired: 71 } as const;
const credit = { number: 2, received: 10, verified: 11, delivered: 12, ended: 13, outcomeReported: 14 } as const;

function withDay(...entries: readonly (readonly HistoryEntry[])[]): readonly HistoryEntry[] {
  return [...dayMarkers, ...entries.flat()];
}

function brokenPromises(history: readonly HistoryEntry[]): readonly Violation["promise"][] {
  return [...new Set(checkHistory(history).violations.map((violation) => violation.promise))].toSorted();
}

function esm(stageVersion: number, state: string, offset: number): RecordEntry {
  return historyRecord("events", offset, one, "EsmStateEvent", {
    id: `esm-${stageVersion}`,
    uetr: one,
    state,
    bank: "bank-a",
    causedByOffset: "1",
  });
}

const declaration = historyRecord("journal", 39, "ZA_EFT:2026-11-20", "CreditsFinalRequested", { requestedBy: historyConnector });
const esmStates = ["RECEIVED", "ACCEPTED", "HELD", "RELEASED", "DELIVERED", "COMPLETED"];
const esmEvents = esmStates.map((state, index) => esm(index + 1, state, 1_000 + index));

/** A credit that was received at 10 and dead-lettered unread, became an item at 20, and was read by a replay at 50. */
function unreadCredit(itemAt: number): readonly HistoryEntry[] {
  const earlier = "ZA_EFT:2026-11-19";
  const ofEarlier = { id: `${earlier}:DayReconciled:1:0`, scheme: "ZA_EFT", businessDate: "2026-11-19", partition: 0, number: 1 };
  const read = creditHistory({ number: 2, received: 10, verified: 11, delivered: 51, ended: 60, outcomeReported: 61 });
  const replayed = changeEntries(
    read,
    (entry): entry is SnapshotEntry => entry.kind === "snapshot",
    (entry) => ({
      ...entry,
      transitions: entry.transitions.map((step) => ({ ...step, offset: String(Math.max(50, Number(step.offset))) })),
      items: [{ ...snapshotItem(4, "CREDIT_AUTH_RECEIVED"), day: earlier, settledAtMs: 50_000 }],
    }),
  );
  return withDay([historyRecord("journal", itemAt, earlier, "DayReconciled", ofEarlier)], offUsHistory(offUs), replayed);
}

test("I8: a credit that lay in the dead letters unread holds the gate until it is an item, and not after it [D9 unread-credit]", () => {
  expect(brokenPromises(unreadCredit(20))).not.toContain("I8");
  expect(brokenPromises(unreadCredit(45))).toContain("I8");
});

test.each<readonly [string, readonly HistoryEntry[]]>([
  ["an off-us debit and a credit of the same day", withDay(offUsHistory(offUs), creditHistory(credit))],
  ["a credit that its deadline ended", withDay(creditHistory({ ...unreported, items: [snapshotItem(9, "CREDIT_AUTH_DELIVERED")] }))],
  ["a deadline that came after the end", withDay(creditHistory({ ...credit, expired: 71 }))],
  [
    "a deadline that came too early, and had no effect",
    withDay(creditHistory({ ...unreported, expired: 60, ended: 65, outcomeReported: 66 })),
  ],
  [
    "an outcome reported after the close, with an item",
    withDay(offUsHistory({ ...offUs, outcomeReported: 95, items: [undeliveredOutcomeItem("COMPLETED")] })),
  ],
  [
    "a credit that came after the declaration",
    withDay(offUsHistory(offUs), creditHistory({ number: 2, received: 45, verified: 46, delivered: 47, ended: 60, outcomeReported: 61 })),
  ],
  ["credits declared final, with the declaration in the journal", [...withDay(creditHistory(credit)), declared(), declaration]],
  ["events of both classes", [...withDay(offUsHistory(offUs)), ...esmEvents]],
])("accepted: %s", (_what, history) => {
  expect(checkHistory(history).violations).toEqual([]);
});

const cases: readonly (readonly [string, Violation["promise"], readonly HistoryEntry[]])[] = [
  [
    "I1: a credit answered 202 is not in the journal",
    "I1",
    withoutEntries(withDay(creditHistory(credit)), isRecordOfType("CreditTransferReceived")),
  ],
  ["I1: credits declared final and answered 202 are not in the journal", "I1", [...withDay(creditHistory(credit)), declared()]],
  [
    "I5: a credit past its deadline has not ended",
    "I5",
    withDay(creditHistory({ ...credit, ended: undefined, outcomeReported: undefined }), [
      historyRecord("journal", 71, numberedUetr(2), "DeadlinePassed", { deadlineMs: 70_000 }),
    ]),
  ],
  [
    "I6: an off-us debit entered REPORTED, though it has no bank to report to",
    "I6",
    changeEntries(withDay(offUsHistory(offUs)), isEvent("HELD"), (event) => ({ ...event, value: { ...event.value, state: "REPORTED" } })),
  ],
  ["I6: an event of class ESM_STATE is missing", "I6", [...withDay(offUsHistory(offUs)), ...esmEvents.slice(1)]],
  [
    "I8: the gate opened before an earlier credit was resolved",
    "I8",
    withDay(offUsHistory(offUs), creditHistory({ number: 2, received: 10, verified: 11, delivered: 43, ended: 44, outcomeReported: 45 })),
  ],
  [
    "I8: the gate of one bank opened before its credit was resolved",
    "I8",
    [
      ...withDay(creditHistory({ number: 2, received: 10, verified: 11, delivered: 43, ended: 60, outcomeReported: 61 })).map((entry) =>
        isGate(entry) ? { ...entry, value: { ...entry.value, except: ["bank-a"] } } : entry,
      ),
      historyMarker(48, "GateOpened", { banks: ["bank-a"], except: [], number: 2 }),
    ],
  ],
  ["I10: an outcome was not delivered at the close, and has no item", "I10", withDay(offUsHistory({ ...offUs, outcomeReported: 95 }))],
  [
    "I10: an item is open for an outcome that was reported",
    "I10",
    withDay(offUsHistory({ ...offUs, items: [undeliveredOutcomeItem("COMPLETED")] })),
  ],
  [
    "I10: a credit ended by a deadline that came too early",
    "I10",
    withDay(creditHistory({ ...unreported, expired: 60, items: [snapshotItem(9, "CREDIT_AUTH_DELIVERED")] })),
  ],
  ["I10: a credit that its deadline ended has no item", "I10", withDay(creditHistory(unreported))],
  [
    "I10: the item of a credit has a row that does not fit",
    "I10",
    withDay(creditHistory({ ...unreported, items: [snapshotItem(7, "CREDIT_AUTH_DELIVERED")] })),
  ],
  [
    "I3: a first outcome was reported to two connectors",
    "I3",
    withDay(
      offUsHistory(offUs),
      offUsHistory({ ...offUs, outcomeReported: 60 })
        .filter((entry) => entry.kind === "received" && entry.bank === historyConnector)
        .map(receivedByAnother),
    ),
  ],
  [
    "I3: an event of class ESM_STATE was written again with another content",
    "I3",
    [
      ...withDay(offUsHistory(offUs)),
      ...esmEvents,
      { ...esm(6, "COMPLETED", 1_090), value: { ...esm(6, "COMPLETED", 1_090).value, body: "b2" } },
    ],
  ],
  [
    "I4: an event of class ESM_STATE came before the event of its state was acknowledged",
    "I4",
    [
      ...withDay(offUsHistory(offUs)),
      ...esmEvents,
      { ...receivedEventEntry(one, 1, "RECEIVED", 60), stageVersion: null, webhookId: "esm-6" },
    ],
  ],
];

test.each(cases)("rejected: %s", (_what, promise, history) => {
  expect(brokenPromises(history)).toContain(promise);
});

const lawful = { credit: creditHistory(credit), "off-us": offUsHistory(offUs) } as const;

test.each([
  ["credit", "CREDIT_AUTH_RESPONSE_ACCEPTED", "CREDIT_AUTH_DELIVERY_FAILURE", "CREDIT_AUTH_DELIVERED"],
  ["credit", "CREDIT_AUTH_RESPONSE_ACCEPTED", "CREDIT_AUTH_REJECTED", "CREDIT_AUTH_DELIVERED"],
  ["credit", "CREDIT_AUTH_DELIVERED", "CREDIT_AUTH_RESPONSE_ACCEPTED", "CREDIT_AUTH_DELIVERY_PENDING"],
  ["credit", "CREDIT_AUTH_DELIVERED", "CREDIT_AUTH_REJECTED", "CREDIT_AUTH_DELIVERY_PENDING"],
  ["credit", "CREDIT_AUTH_ACCEPTED", "CREDIT_AUTH_DELIVERED", "CREDIT_AUTH_RECEIVED"],
  ["credit", "CREDIT_AUTH_DELIVERY_PENDING", "CREDIT_AUTH_RECONCILIATION", "CREDIT_AUTH_ACCEPTED"],
  ["off-us", "HELD", "REPORTED", "ACCEPTED"],
  ["off-us", "HELD", "RELEASED", "ACCEPTED"],
  ["off-us", "COMPLETED", "REJECTION_REPORTED", "DELIVERED"],
  ["off-us", "DELIVERED", "COMPLETED", "RELEASED"],
] as const)("I6: of a %s, rejected where %s is due: %s after %s", (flow, due, entered, before) => {
  const history = changeEntries(withDay(lawful[flow]), isEvent(due), (event) => ({ ...event, value: { ...event.value, state: entered } }));
  const texts = checkHistory(history).violations.map(({ text }) => text);
  expect(texts).toContainEqual(expect.stringContaining(`${entered} does not follow ${before}`));
});

function declared(): SentEntry {
  return {
    kind: "sent",
    atMs: 1,
    bank: historyConnector,
    operation: "creditsFinal",
    bodyHash: "b",
    status: 202,
    uetr: "ZA_EFT:2026-11-20",
    messageIdentification: "",
  };
}

function isEvent(state: string): (entry: HistoryEntry) => entry is RecordEntry {
  return (entry): entry is RecordEntry => isRecordOfType("TransactionStateEvent")(entry) && entry.value["state"] === state;
}

function isGate(entry: HistoryEntry): entry is RecordEntry {
  return isRecordOfType("GateOpened")(entry);
}

function receivedByAnother(entry: HistoryEntry): HistoryEntry {
  return entry.kind === "received" ? { ...entry, bank: "elsewhere" } : entry;
}
