// Histories of credits and off-us debits for the tests, in the partition and day of `histories.fixture.ts`.

import {
  offsetToMs,
  historyBank,
  historyDay,
  historyEventRecord,
  snapshotItem,
  historyRecord,
  receivedEntry,
  outgoingId,
  numberedUetr,
} from "./histories.fixture.ts";
import type { HistoryEntry, ReceivedEntry, SentEntry, SnapshotItem } from "./history.ts";

export const historyConnector = "clearing";
const scheme = "ZA_EFT";
const businessDate = "2026-11-20";

/** The offsets of the steps of a credit. A step without an offset did not happen. */
export interface CreditStory {
  readonly number: number;
  readonly received: number;
  readonly verified?: number | undefined;
  readonly delivered?: number | undefined;
  readonly ended?: number | undefined;
  /** The offset of the DeadlinePassed that ends it. */
  readonly expired?: number | undefined;
  readonly outcomeReported?: number | undefined;
  readonly deadline?: number | undefined;
  readonly items?: readonly SnapshotItem[];
}

export function creditHistory(story: CreditStory): readonly HistoryEntry[] {
  const uetr = numberedUetr(story.number);
  const messageIdentification = `C-${uetr.slice(-2)}`;
  const deadlineMs = offsetToMs(story.deadline ?? 70);
  const credit = { messageIdentifiers: { messageIdentification }, paymentScheme: { schema: scheme } };
  const entries: HistoryEntry[] = [
    sentBy(historyConnector, uetr, story.received, "inboundCreditTransferAuthorization", messageIdentification),
    historyRecord("journal", story.received, uetr, "CreditTransferReceived", {
      sender: historyConnector,
      contentHash: "c1",
      substanceHash: "s1",
      bank: historyBank,
      businessDate,
      deadlineMs,
      credit,
    }),
  ];
  const path: [string, number][] = [["CREDIT_AUTH_RECEIVED", story.received]];
  if (story.verified !== undefined) {
    const verified = {
      sender: historyConnector,
      messageIdentification,
      contentHash: "c1",
      bank: historyBank,
      businessDate,
      reconciliationDay: null,
      deadlineMs,
    };
    entries.push(
      historyRecord("journal", story.verified, uetr, "AccountVerified", verified),
      ...dispatched(uetr, story.verified, "inboundCreditTransferAuthorization", `${uetr.replaceAll("-", "")}C`),
    );
    path.push(["CREDIT_AUTH_ACCEPTED", story.verified], ["CREDIT_AUTH_DELIVERY_PENDING", story.verified]);
  }
  if (story.delivered !== undefined) {
    entries.push(ended(uetr, story.delivered, `${uetr.replaceAll("-", "")}C`));
    path.push(["CREDIT_AUTH_DELIVERED", story.delivered]);
  }
  if (story.ended !== undefined) {
    entries.push(
      sentBy(historyBank, uetr, story.ended, "inboundCreditTransferAuthorizationResponse", `P-${uetr.slice(-2)}`),
      statusReportRecord(uetr, story.ended),
    );
    path.push(["CREDIT_AUTH_RESPONSE_ACCEPTED", story.ended]);
  }
  if (story.expired !== undefined) {
    entries.push(historyRecord("journal", story.expired, uetr, "DeadlinePassed", { deadlineMs }));
    if (story.ended === undefined) path.push(["CREDIT_AUTH_RECONCILIATION", story.expired]);
  }
  return [
    ...entries,
    ...outcomeReport(uetr, story.outcomeReported, "inboundCreditTransferAuthorizationResponse"),
    ...eventsAndSnapshot(uetr, "", path, story.items ?? []),
  ];
}

export interface OffUsStory {
  readonly number: number;
  readonly received: number;
  readonly verified: number;
  readonly released: number;
  readonly delivered: number;
  readonly ended: number;
  readonly outcomeReported?: number | undefined;
  readonly items?: readonly SnapshotItem[];
}

export function offUsHistory(story: OffUsStory): readonly HistoryEntry[] {
  const uetr = numberedUetr(story.number);
  const messageIdentification = `D-${uetr.slice(-2)}`;
  const verified = {
    sender: historyConnector,
    messageIdentification,
    contentHash: "c1",
    bank: historyBank,
    businessDate,
    reconciliationDay: historyDay,
  };
  const debit = { messageIdentifiers: { messageIdentification } };
  const entries: HistoryEntry[] = [
    sentBy(historyConnector, uetr, story.received, "inboundDirectDebit", messageIdentification),
    historyRecord("journal", story.received, uetr, "DirectDebitReceived", {
      sender: historyConnector,
      contentHash: "c1",
      substanceHash: "s1",
      receivedAtMs: offsetToMs(story.received),
      reconciliationDay: historyDay,
      flow: "OFF_US",
      bank: historyBank,
      debit,
    }),
    historyRecord("journal", story.verified, uetr, "AccountVerified", verified),
    historyRecord("journal", story.released, uetr, "Release", { scheme, businessDate, windowNumber: 1, bank: historyBank }),
    ...dispatched(uetr, story.released, "inboundDirectDebit", outgoingId(uetr, "D")),
    ended(uetr, story.delivered, outgoingId(uetr, "D")),
    sentBy(historyBank, uetr, story.ended, "inboundDirectDebitResponse", `P-${uetr.slice(-2)}`),
    statusReportRecord(uetr, story.ended),
  ];
  const path: [string, number][] = [
    ["RECEIVED", story.received],
    ["ACCEPTED", story.verified],
    ["HELD", story.verified],
    ["RELEASED", story.released],
    ["DELIVERED", story.delivered],
    ["COMPLETED", story.ended],
  ];
  return [
    ...entries,
    ...outcomeReport(uetr, story.outcomeReported, "inboundDirectDebitResponse"),
    ...eventsAndSnapshot(uetr, historyDay, path, story.items ?? []),
  ];
}

function sentBy(party: string, uetr: string, offset: number, operation: SentEntry["operation"], messageIdentification: string): SentEntry {
  return { kind: "sent", atMs: offsetToMs(offset), bank: party, operation, uetr, messageIdentification, bodyHash: "b", status: 202 };
}

function statusReportRecord(uetr: string, offset: number): HistoryEntry {
  const report = { messageIdentifiers: { messageIdentification: `P-${uetr.slice(-2)}` } };
  return historyRecord("journal", offset, uetr, "StatusReportReceived", { sender: historyBank, contentHash: "r1", report });
}

function ended(uetr: string, offset: number, messageIdentification: string): HistoryEntry {
  return historyRecord("journal", offset, uetr, "DeliveryEnded", { messageIdentification, outcome: "ACKNOWLEDGED" });
}

function outcomeReport(
  uetr: string,
  offset: number | undefined,
  operation: "inboundDirectDebitResponse" | "inboundCreditTransferAuthorizationResponse",
): readonly HistoryEntry[] {
  if (offset === undefined) return [];
  const id = `${uetr.replaceAll("-", "")}O1`;
  return [...dispatched(uetr, offset, operation, id, historyConnector), ended(uetr, offset, id)];
}

/** The record of a message, and its arrival. */
function dispatched(
  uetr: string,
  offset: number,
  operation: ReceivedEntry["operation"],
  id: string,
  bank = historyBank,
): readonly HistoryEntry[] {
  const value = { messageIdentification: id, uetr, bank, operation, causedByOffset: String(offset), body: "" };
  return [historyRecord("dispatch", offset, uetr, "Dispatch", value), receivedEntry(uetr, offset, operation, id, { bank })];
}

/** Builds the events and the snapshot of a path of states. */
function eventsAndSnapshot(
  uetr: string,
  reconciliationDay: string | null,
  path: readonly (readonly [string, number])[],
  items: readonly SnapshotItem[],
): readonly HistoryEntry[] {
  const transitions = path.map(([state, offset], index) => ({
    stageVersion: index + 1,
    state,
    offset: String(offset),
    atMs: offsetToMs(offset),
  }));
  return [
    ...path.map(([state, offset], index) => historyEventRecord(uetr, index + 1, state, offset, offset * 10 + index)),
    { kind: "snapshot", uetr, state: path.at(-1)?.[0] ?? "", reconciliationDay, transitions, items, observations: [] },
  ];
}

export function undeliveredOutcomeItem(state: string): SnapshotItem {
  return snapshotItem(5, state, { cause: "OUTCOME_UNDELIVERED" });
}
