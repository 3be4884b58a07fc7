// Histories for the tests: one partition, one day with one window, and debits that end in each possible way. Offset n
// happens at 1,000 n ms.

import type { HistoryEntry, ReceivedEntry, RecordEntry, SentEntry, SnapshotEntry, SnapshotItem } from "./history.ts";

export const historyDay = "ZA_EFT:2026-11-20";
export const nextHistoryDay = "ZA_EFT:2026-11-23";
export const historyBank = "bank-a";
const scheme = "ZA_EFT";
const businessDate = "2026-11-20";

export function numberedUetr(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

export function outgoingId(uetr: string, letter: "A" | "R" | "D"): string {
  return `${uetr.replaceAll("-", "")}${letter}`;
}

export function offsetToMs(offset: number): number {
  return offset * 1_000;
}

const topics = {
  journal: "sluice.journal.v1",
  dispatch: "sluice.dispatch.v1",
  events: "sluice.events.v1",
  receipts: "sluice.receipts.v1",
  transactions: "sluice.transactions.v1",
  stateEvents: "sluice.state-events.v1",
  items: "sluice.items.v1",
  deadLetters: "sluice.dead-letters.v1.dlq",
};

export function historyRecord(
  topic: keyof typeof topics,
  offset: number,
  key: string,
  type: string,
  value: Record<string, unknown>,
  partition = 0,
): RecordEntry {
  return { kind: "record", topic: topics[topic], partition, offset: String(offset), appendedAtMs: offsetToMs(offset), key, type, value };
}

export function historyMarker(offset: number, type: string, more: Record<string, unknown> = {}, partition = 0): RecordEntry {
  const number = 1;
  const value = { id: `${historyDay}:${type}:1:${partition}`, scheme, businessDate, partition, number, ...more };
  return historyRecord("journal", offset, historyDay, type, value, partition);
}

export function historyDebitRecord(uetr: string, offset: number, changes: Record<string, unknown> = {}): RecordEntry {
  return historyRecord("journal", offset, uetr, "DirectDebitReceived", {
    sender: historyBank,
    contentHash: "c1",
    substanceHash: "s1",
    receivedAtMs: offsetToMs(offset),
    reconciliationDay: historyDay,
    debit: { messageIdentifiers: { messageIdentification: `M-${uetr.slice(-2)}` } },
    ...changes,
  });
}

export function historyReportRecord(uetr: string, offset: number, messageIdentification = `P-${uetr.slice(-2)}`): RecordEntry {
  const report = { messageIdentifiers: { messageIdentification } };
  return historyRecord("journal", offset, uetr, "StatusReportReceived", { sender: historyBank, contentHash: "r1", report });
}

export function sentEntry(
  uetr: string,
  offset: number,
  operation: SentEntry["operation"] = "outboundDirectDebit",
  status: number | null = 202,
): SentEntry {
  const letter = operation === "outboundDirectDebit" ? "M" : "P";
  const messageIdentification = `${letter}-${uetr.slice(-2)}`;
  return { kind: "sent", atMs: offsetToMs(offset), bank: historyBank, operation, uetr, messageIdentification, bodyHash: "b", status };
}

export function receivedEntry(
  uetr: string,
  offset: number,
  operation: ReceivedEntry["operation"],
  webhookId: string,
  changes: Partial<ReceivedEntry> = {},
): ReceivedEntry {
  const base = { kind: "received", atMs: offsetToMs(offset), bank: historyBank, operation, webhookId, uetr } as const;
  return { ...base, bodyHash: `hash of ${webhookId}`, status: 202, stageVersion: null, state: null, ...changes };
}

export function historyEventId(uetr: string, stageVersion: number): string {
  return `event-${uetr.slice(-2)}-${stageVersion}`;
}

export function receivedEventEntry(
  uetr: string,
  stageVersion: number,
  state: string,
  offset: number,
  changes: Partial<ReceivedEntry> = {},
): ReceivedEntry {
  return receivedEntry(uetr, offset, "events", historyEventId(uetr, stageVersion), { stageVersion, state, ...changes });
}

export function historyEventRecord(uetr: string, stageVersion: number, state: string, causedByOffset: number, offset: number): RecordEntry {
  return historyRecord("events", offset, uetr, "TransactionStateEvent", {
    id: historyEventId(uetr, stageVersion),
    uetr,
    stageVersion,
    state,
    bank: historyBank,
    causedByOffset: String(causedByOffset),
    enteredAtMs: offsetToMs(causedByOffset),
    body: "",
  });
}

/** The offsets of the steps of a debit. A step without an offset did not happen. */
export interface DebitStory {
  readonly number: number;
  readonly received: number;
  readonly verified?: number | undefined;
  readonly isRefused?: boolean | undefined;
  readonly reported?: number | undefined;
  readonly released?: number | undefined;
  /** The same offset as `ended` if the report proves the delivery. */
  readonly delivered?: number | undefined;
  readonly ended?: number | undefined;
  /** The offset of the record with which the close was applied. */
  readonly reconciled?: number | undefined;
  readonly items?: readonly SnapshotItem[] | undefined;
  readonly reconciliationDay?: string | undefined;
}

export function snapshotItem(row: number | null, state: string, changes: Partial<SnapshotItem> = {}): SnapshotItem {
  return { day: historyDay, row, cause: null, state, settledAtMs: null, ...changes };
}

/** Builds everything that is recorded of one debit: requests, journal, dispatch, events, postings and snapshot. */
export function debitHistory(story: DebitStory): readonly HistoryEntry[] {
  const uetr = numberedUetr(story.number);
  const entries: HistoryEntry[] = [sentEntry(uetr, story.received), historyDebitRecord(uetr, story.received)];
  const path: [string, number][] = [["RECEIVED", story.received]];
  const enter = (state: string, offset: number): unknown => path.push([state, offset]);
  const deliver = (letter: "A" | "R" | "D", offset: number): void => {
    const operation = letter === "D" ? "inboundDirectDebit" : "outboundDirectDebitResponse";
    const id = outgoingId(uetr, letter);
    entries.push(
      historyRecord("dispatch", offset, uetr, "Dispatch", {
        messageIdentification: id,
        uetr,
        bank: historyBank,
        operation,
        causedByOffset: String(offset),
        body: "",
      }),
    );
    entries.push(receivedEntry(uetr, offset, operation, id));
  };
  const reconciliationDay = story.reconciliationDay ?? historyDay;
  const letter = story.isRefused === true ? "R" : "A";
  if (story.verified !== undefined) {
    const verified = { sender: historyBank, messageIdentification: `M-${uetr.slice(-2)}`, contentHash: "c1" };
    entries.push(
      historyRecord("journal", story.verified, uetr, "AccountVerified", {
        ...verified,
        bank: historyBank,
        businessDate,
        reconciliationDay,
      }),
    );
    deliver(letter, story.verified);
    enter(letter === "R" ? "REJECTED" : "ACCEPTED", story.verified);
  }
  if (story.reported !== undefined) {
    entries.push(
      historyRecord("journal", story.reported, uetr, "DeliveryEnded", {
        messageIdentification: outgoingId(uetr, letter),
        outcome: "ACKNOWLEDGED",
      }),
    );
    for (const state of letter === "R" ? ["REJECTION_REPORTED"] : ["REPORTED", "HELD"]) enter(state, story.reported);
  }
  if (story.released !== undefined) {
    entries.push(historyRecord("journal", story.released, uetr, "Release", { scheme, businessDate, windowNumber: 1, bank: historyBank }));
    deliver("D", story.released);
    enter("RELEASED", story.released);
  }
  if (story.delivered !== undefined) {
    if (story.delivered !== story.ended)
      entries.push(
        historyRecord("journal", story.delivered, uetr, "DeliveryEnded", {
          messageIdentification: outgoingId(uetr, "D"),
          outcome: "ACKNOWLEDGED",
        }),
      );
    enter("DELIVERED", story.delivered);
  }
  if (story.ended !== undefined) {
    entries.push(sentEntry(uetr, story.ended, "inboundDirectDebitResponse"), historyReportRecord(uetr, story.ended));
    enter("COMPLETED", story.ended);
  }
  if (story.reconciled !== undefined) {
    entries.push(historyRecord("journal", story.reconciled, uetr, "DayClosed", { day: historyDay }));
    enter("RECONCILIATION", story.reconciled);
  }
  for (const [index, [state, offset]] of path.entries()) {
    entries.push(
      historyEventRecord(uetr, index + 1, state, offset, offset * 10 + index),
      receivedEventEntry(uetr, index + 1, state, offset),
    );
  }
  return [...entries, buildSnapshot(uetr, reconciliationDay, path, story.items ?? [])];
}

function buildSnapshot(
  uetr: string,
  reconciliationDay: string,
  path: readonly [string, number][],
  items: readonly SnapshotItem[],
): SnapshotEntry {
  const transitions = path.map(([state, offset], index) => ({
    stageVersion: index + 1,
    state,
    offset: String(offset),
    atMs: offsetToMs(offset),
  }));
  return {
    kind: "snapshot",
    uetr,
    state: path.at(-1)?.[0] ?? "ORPHAN",
    reconciliationDay,
    transitions,
    items,
    observations: [],
  };
}

/**
 * The markers of the day: the window opens at 40 and closes at 80, the gate opens at 42, the day is reconciled at 90.
 */
export const dayMarkers: readonly RecordEntry[] = [
  historyMarker(40, "WindowOpened"),
  historyMarker(41, "CreditsDeclared"),
  historyMarker(42, "GateOpened", { banks: null, except: [] }),
  historyMarker(80, "WindowClosed", { isLast: true }),
  historyMarker(90, "DayReconciled"),
];

export const completedDebit: DebitStory = { number: 1, received: 1, verified: 2, reported: 3, released: 50, delivered: 51, ended: 52 };
export const secondCompletedDebit: DebitStory = {
  number: 2,
  received: 4,
  verified: 5,
  reported: 6,
  released: 53,
  delivered: 54,
  ended: 55,
};
export const badAccountDebit: DebitStory = { number: 3, received: 7, verified: 8, isRefused: true, reported: 9 };
export const unreportedDebit: DebitStory = {
  number: 4,
  received: 10,
  verified: 11,
  reported: 12,
  released: 56,
  delivered: 57,
  reconciled: 91,
  items: [snapshotItem(9, "DELIVERED")],
};
export const unansweredDebit: DebitStory = {
  number: 5,
  received: 13,
  verified: 14,
  reported: 15,
  released: 58,
  reconciled: 92,
  items: [snapshotItem(7, "RELEASED")],
};

/** A debit that is held from the start and never released, though its window is open. */
export const unreleasedDebit: DebitStory = {
  number: 1,
  received: 1,
  verified: 2,
  reported: 3,
  reconciled: 91,
  items: [snapshotItem(0, "HELD")],
};

/** The history of a whole day without a violation. */
export const goodDayHistory: readonly HistoryEntry[] = [
  ...dayMarkers,
  ...[completedDebit, secondCompletedDebit, badAccountDebit, unreportedDebit, unansweredDebit].flatMap(debitHistory),
];

export function isRecordOfType(type: string, uetr?: string): (entry: HistoryEntry) => entry is RecordEntry {
  return (entry): entry is RecordEntry => entry.kind === "record" && entry.type === type && (uetr === undefined || entry.key === uetr);
}

/** Changes the matching entries of a history. Throws if none matches. */
export function changeEntries<T extends HistoryEntry>(
  history: readonly HistoryEntry[],
  matches: (entry: HistoryEntry) => entry is T,
  changed: (entry: T) => HistoryEntry,
): readonly HistoryEntry[] {
  if (!history.some(matches)) throw new Error("nothing to change");
  return history.map((entry) => (matches(entry) ? changed(entry) : entry));
}

/** Removes the matching entries of a history. Throws if none matches. */
export function withoutEntries(history: readonly HistoryEntry[], matches: (entry: HistoryEntry) => boolean): readonly HistoryEntry[] {
  if (!history.some(matches)) throw new Error("nothing to leave out");
  return history.filter((entry) => !matches(entry));
}
