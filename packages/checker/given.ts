// Histories for the tests: one lane, one day with one window, debits that end in the ways there are. Everything at the n-th offset
// happens at 1,000 n ms.

import type { HistoryEntry, ReceivedEntry, RecordEntry, SentEntry, SnapshotEntry, SnapshotItem } from "./history.ts";

export const day = "ZA_EFT:2026-11-20";
export const nextDay = "ZA_EFT:2026-11-23";
export const bank = "bank-a";
const scheme = "ZA_EFT";
const businessDate = "2026-11-20";

export function uetrOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

export function sentId(uetr: string, letter: "A" | "R" | "D"): string {
  return `${uetr.replaceAll("-", "")}${letter}`;
}

export function atMsOf(offset: number): number {
  return offset * 1_000;
}

const topics = { journal: "sluice.journal.v1", dispatch: "sluice.dispatch.v1", events: "sluice.events.v1", receipts: "sluice.receipts.v1" };

export function record(
  topic: keyof typeof topics,
  offset: number,
  key: string,
  type: string,
  value: Record<string, unknown>,
  partition = 0,
): RecordEntry {
  return { kind: "record", topic: topics[topic], partition, offset: String(offset), appendedAtMs: atMsOf(offset), key, type, value };
}

export function marker(offset: number, type: string, more: Record<string, unknown> = {}, partition = 0): RecordEntry {
  const number = 1;
  const value = { id: `${day}:${type}:1:${partition}`, scheme, businessDate, partition, number, ...more };
  return record("journal", offset, day, type, value, partition);
}

export function debitRecord(uetr: string, offset: number, changes: Record<string, unknown> = {}): RecordEntry {
  return record("journal", offset, uetr, "DirectDebitReceived", {
    sender: bank,
    contentHash: "c1",
    substanceHash: "s1",
    receivedAtMs: atMsOf(offset),
    closesWith: day,
    debit: { messageIdentifiers: { messageIdentification: `M-${uetr.slice(-2)}` } },
    ...changes,
  });
}

export function reportRecord(uetr: string, offset: number, messageIdentification = `P-${uetr.slice(-2)}`): RecordEntry {
  const report = { messageIdentifiers: { messageIdentification } };
  return record("journal", offset, uetr, "StatusReportReceived", { sender: bank, contentHash: "r1", report });
}

export function sent(
  uetr: string,
  offset: number,
  operation: SentEntry["operation"] = "outboundDirectDebit",
  status: number | null = 202,
): SentEntry {
  const letter = operation === "outboundDirectDebit" ? "M" : "P";
  const messageIdentification = `${letter}-${uetr.slice(-2)}`;
  return { kind: "sent", atMs: atMsOf(offset), bank, operation, uetr, messageIdentification, bodyHash: "b", status };
}

export function received(
  uetr: string,
  offset: number,
  operation: ReceivedEntry["operation"],
  webhookId: string,
  changes: Partial<ReceivedEntry> = {},
): ReceivedEntry {
  const base = { kind: "received", atMs: atMsOf(offset), bank, operation, webhookId, uetr } as const;
  return { ...base, bodyHash: `hash of ${webhookId}`, status: 202, stageVersion: null, state: null, ...changes };
}

export function eventId(uetr: string, stageVersion: number): string {
  return `event-${uetr.slice(-2)}-${stageVersion}`;
}

export function eventReceived(
  uetr: string,
  stageVersion: number,
  state: string,
  offset: number,
  changes: Partial<ReceivedEntry> = {},
): ReceivedEntry {
  return received(uetr, offset, "events", eventId(uetr, stageVersion), { stageVersion, state, ...changes });
}

export function eventRecord(uetr: string, stageVersion: number, state: string, causedByOffset: number, offset: number): RecordEntry {
  return record("events", offset, uetr, "TransactionStateEvent", {
    id: eventId(uetr, stageVersion),
    uetr,
    stageVersion,
    state,
    bank,
    causedByOffset: String(causedByOffset),
    enteredAtMs: atMsOf(causedByOffset),
    body: "",
  });
}

/** Offsets of what happened to a debit; what is absent did not happen. */
export interface Story {
  readonly number: number;
  readonly received: number;
  readonly verified?: number | undefined;
  readonly isRefused?: boolean | undefined;
  readonly reported?: number | undefined;
  readonly released?: number | undefined;
  /** The same as `ended`: proven by the report. */
  readonly delivered?: number | undefined;
  readonly ended?: number | undefined;
  /** Offset of the turn in which the close met it. */
  readonly reconciled?: number | undefined;
  readonly items?: readonly SnapshotItem[] | undefined;
  readonly closesWith?: string | undefined;
}

export function item(row: number | null, state: string, changes: Partial<SnapshotItem> = {}): SnapshotItem {
  return { day, row, cause: null, state, settledAtMs: null, ...changes };
}

/** All that is recorded of one debit: requests, journal, dispatch, events, postings, snapshot. */
export function tell(story: Story): readonly HistoryEntry[] {
  const uetr = uetrOf(story.number);
  const entries: HistoryEntry[] = [sent(uetr, story.received), debitRecord(uetr, story.received)];
  const path: [string, number][] = [["RECEIVED", story.received]];
  const enter = (state: string, offset: number): unknown => path.push([state, offset]);
  const deliver = (letter: "A" | "R" | "D", offset: number): void => {
    const operation = letter === "D" ? "inboundDirectDebit" : "outboundDirectDebitResponse";
    const id = sentId(uetr, letter);
    entries.push(record("dispatch", offset, uetr, "Dispatch", { messageIdentification: id, uetr, bank, operation, body: "" }));
    entries.push(received(uetr, offset, operation, id));
  };
  const closesWith = story.closesWith ?? day;
  const letter = story.isRefused === true ? "R" : "A";
  if (story.verified !== undefined) {
    const judged = { sender: bank, messageIdentification: `M-${uetr.slice(-2)}`, contentHash: "c1" };
    entries.push(record("journal", story.verified, uetr, "AccountVerified", { ...judged, bank, businessDate, closesWith }));
    deliver(letter, story.verified);
    enter(letter === "R" ? "REJECTED" : "ACCEPTED", story.verified);
  }
  if (story.reported !== undefined) {
    entries.push(
      record("journal", story.reported, uetr, "DeliveryEnded", { messageIdentification: sentId(uetr, letter), outcome: "ACKNOWLEDGED" }),
    );
    for (const state of letter === "R" ? ["REJECTION_REPORTED"] : ["REPORTED", "HELD"]) enter(state, story.reported);
  }
  if (story.released !== undefined) {
    entries.push(record("journal", story.released, uetr, "Release", { scheme, businessDate, windowNumber: 1, bank }));
    deliver("D", story.released);
    enter("RELEASED", story.released);
  }
  if (story.delivered !== undefined) {
    if (story.delivered !== story.ended)
      entries.push(
        record("journal", story.delivered, uetr, "DeliveryEnded", { messageIdentification: sentId(uetr, "D"), outcome: "ACKNOWLEDGED" }),
      );
    enter("DELIVERED", story.delivered);
  }
  if (story.ended !== undefined) {
    entries.push(sent(uetr, story.ended, "inboundDirectDebitResponse"), reportRecord(uetr, story.ended));
    enter("COMPLETED", story.ended);
  }
  if (story.reconciled !== undefined) {
    entries.push(record("journal", story.reconciled, uetr, "DayClosed", { day }));
    enter("RECONCILIATION", story.reconciled);
  }
  for (const [index, [state, offset]] of path.entries()) {
    entries.push(eventRecord(uetr, index + 1, state, offset, offset * 10 + index), eventReceived(uetr, index + 1, state, offset));
  }
  return [...entries, snapshotOf(uetr, closesWith, path, story.items ?? [])];
}

function snapshotOf(uetr: string, closesWith: string, path: readonly [string, number][], items: readonly SnapshotItem[]): SnapshotEntry {
  const transitions = path.map(([state, offset], index) => ({
    stageVersion: index + 1,
    state,
    offset: String(offset),
    atMs: atMsOf(offset),
  }));
  return { kind: "snapshot", uetr, state: path.at(-1)?.[0] ?? "ORPHAN", closesWith, transitions, items, remarks: [] };
}

/** The day of the lane: opened at 40, gate at 42, closed at 80, reconciled at 90. */
export const markers: readonly RecordEntry[] = [
  marker(40, "WindowOpened"),
  marker(41, "CreditsDeclared"),
  marker(42, "GateOpened", { banks: null, except: [] }),
  marker(80, "WindowClosed", { isLast: true }),
  marker(90, "DayReconciled"),
];

export const good: Story = { number: 1, received: 1, verified: 2, reported: 3, released: 50, delivered: 51, ended: 52 };
export const second: Story = { number: 2, received: 4, verified: 5, reported: 6, released: 53, delivered: 54, ended: 55 };
export const badAccount: Story = { number: 3, received: 7, verified: 8, isRefused: true, reported: 9 };
export const unreported: Story = {
  number: 4,
  received: 10,
  verified: 11,
  reported: 12,
  released: 56,
  delivered: 57,
  reconciled: 91,
  items: [item(9, "DELIVERED")],
};
export const silent: Story = {
  number: 5,
  received: 13,
  verified: 14,
  reported: 15,
  released: 58,
  reconciled: 92,
  items: [item(7, "RELEASED")],
};

/** Held from the start, its window open, but never released. */
export const heldOnly: Story = { number: 1, received: 1, verified: 2, reported: 3, reconciled: 91, items: [item(0, "HELD")] };

/** A whole good day. */
export const goodDay: readonly HistoryEntry[] = [...markers, ...[good, second, badAccount, unreported, silent].flatMap(tell)];

export function isRecord(type: string, uetr?: string): (entry: HistoryEntry) => entry is RecordEntry {
  return (entry): entry is RecordEntry => entry.kind === "record" && entry.type === type && (uetr === undefined || entry.key === uetr);
}

/** The history with the entries that are meant changed; at least one must be. */
export function change<T extends HistoryEntry>(
  history: readonly HistoryEntry[],
  isMeant: (entry: HistoryEntry) => entry is T,
  changed: (entry: T) => HistoryEntry,
): readonly HistoryEntry[] {
  if (!history.some(isMeant)) throw new Error("nothing to change");
  return history.map((entry) => (isMeant(entry) ? changed(entry) : entry));
}

export function without(history: readonly HistoryEntry[], isMeant: (entry: HistoryEntry) => boolean): readonly HistoryEntry[] {
  if (!history.some(isMeant)) throw new Error("nothing to leave out");
  return history.filter((entry) => !isMeant(entry));
}
