// Histories of credits and off-us debits for the tests, in the lane and day of `given.ts`.

import { atMsOf, bank, day, eventRecord, item, record, received, sentId, uetrOf } from "./given.ts";
import type { HistoryEntry, SentEntry, SnapshotItem } from "./history.ts";

export const connector = "clearing";
const scheme = "ZA_EFT";
const businessDate = "2026-11-20";

/** Offsets of what happened to a credit; what is absent did not happen. */
export interface CreditStory {
  readonly number: number;
  readonly received: number;
  readonly verified?: number | undefined;
  readonly delivered?: number | undefined;
  readonly ended?: number | undefined;
  /** Offset of the DeadlinePassed that met it. */
  readonly expired?: number | undefined;
  readonly told?: number | undefined;
  readonly deadline?: number | undefined;
  readonly items?: readonly SnapshotItem[];
}

export function tellCredit(story: CreditStory): readonly HistoryEntry[] {
  const uetr = uetrOf(story.number);
  const messageIdentification = `C-${uetr.slice(-2)}`;
  const deadlineMs = atMsOf(story.deadline ?? 70);
  const credit = { messageIdentifiers: { messageIdentification }, paymentScheme: { schema: scheme } };
  const entries: HistoryEntry[] = [
    sentBy(connector, uetr, story.received, "inboundCreditTransferAuthorization", messageIdentification),
    record("journal", story.received, uetr, "CreditTransferReceived", {
      sender: connector,
      contentHash: "c1",
      substanceHash: "s1",
      bank,
      businessDate,
      deadlineMs,
      credit,
    }),
  ];
  const path: [string, number][] = [["CREDIT_AUTH_RECEIVED", story.received]];
  if (story.verified !== undefined) {
    const judged = { sender: connector, messageIdentification, contentHash: "c1", bank, businessDate, closesWith: "", deadlineMs };
    entries.push(
      record("journal", story.verified, uetr, "AccountVerified", judged),
      received(uetr, story.verified, "inboundCreditTransferAuthorization", `${uetr.replaceAll("-", "")}C`),
    );
    path.push(["CREDIT_AUTH_ACCEPTED", story.verified], ["CREDIT_AUTH_DELIVERY_PENDING", story.verified]);
  }
  if (story.delivered !== undefined) {
    entries.push(ended(uetr, story.delivered, `${uetr.replaceAll("-", "")}C`));
    path.push(["CREDIT_AUTH_DELIVERED", story.delivered]);
  }
  if (story.ended !== undefined) {
    entries.push(
      sentBy(bank, uetr, story.ended, "inboundCreditTransferAuthorizationResponse", `P-${uetr.slice(-2)}`),
      reportOf(uetr, story.ended),
    );
    path.push(["CREDIT_AUTH_RESPONSE_ACCEPTED", story.ended]);
  }
  if (story.expired !== undefined) {
    entries.push(record("journal", story.expired, uetr, "DeadlinePassed", { deadlineMs }));
    if (story.ended === undefined) path.push(["CREDIT_AUTH_RECONCILIATION", story.expired]);
  }
  return [...entries, ...told(uetr, story.told, "inboundCreditTransferAuthorizationResponse"), ...seen(uetr, "", path, story.items ?? [])];
}

export interface OffUsStory {
  readonly number: number;
  readonly received: number;
  readonly verified: number;
  readonly released: number;
  readonly delivered: number;
  readonly ended: number;
  readonly told?: number | undefined;
  readonly items?: readonly SnapshotItem[];
}

export function tellOffUs(story: OffUsStory): readonly HistoryEntry[] {
  const uetr = uetrOf(story.number);
  const messageIdentification = `D-${uetr.slice(-2)}`;
  const judged = { sender: connector, messageIdentification, contentHash: "c1", bank, businessDate, closesWith: day };
  const debit = { messageIdentifiers: { messageIdentification } };
  const entries: HistoryEntry[] = [
    sentBy(connector, uetr, story.received, "inboundDirectDebit", messageIdentification),
    record("journal", story.received, uetr, "DirectDebitReceived", {
      sender: connector,
      contentHash: "c1",
      substanceHash: "s1",
      receivedAtMs: atMsOf(story.received),
      closesWith: day,
      flow: "OFF_US",
      bank,
      debit,
    }),
    record("journal", story.verified, uetr, "AccountVerified", judged),
    record("journal", story.released, uetr, "Release", { scheme, businessDate, windowNumber: 1, bank }),
    received(uetr, story.released, "inboundDirectDebit", sentId(uetr, "D")),
    ended(uetr, story.delivered, sentId(uetr, "D")),
    sentBy(bank, uetr, story.ended, "inboundDirectDebitResponse", `P-${uetr.slice(-2)}`),
    reportOf(uetr, story.ended),
  ];
  const path: [string, number][] = [
    ["RECEIVED", story.received],
    ["ACCEPTED", story.verified],
    ["HELD", story.verified],
    ["RELEASED", story.released],
    ["DELIVERED", story.delivered],
    ["COMPLETED", story.ended],
  ];
  return [...entries, ...told(uetr, story.told, "inboundDirectDebitResponse"), ...seen(uetr, day, path, story.items ?? [])];
}

function sentBy(party: string, uetr: string, offset: number, operation: SentEntry["operation"], messageIdentification: string): SentEntry {
  return { kind: "sent", atMs: atMsOf(offset), bank: party, operation, uetr, messageIdentification, bodyHash: "b", status: 202 };
}

function reportOf(uetr: string, offset: number): HistoryEntry {
  const report = { messageIdentifiers: { messageIdentification: `P-${uetr.slice(-2)}` } };
  return record("journal", offset, uetr, "StatusReportReceived", { sender: bank, contentHash: "r1", report });
}

function ended(uetr: string, offset: number, messageIdentification: string): HistoryEntry {
  return record("journal", offset, uetr, "DeliveryEnded", { messageIdentification, outcome: "ACKNOWLEDGED" });
}

function told(
  uetr: string,
  offset: number | undefined,
  operation: "inboundDirectDebitResponse" | "inboundCreditTransferAuthorizationResponse",
): readonly HistoryEntry[] {
  if (offset === undefined) return [];
  const id = `${uetr.replaceAll("-", "")}O1`;
  return [received(uetr, offset, operation, id, { bank: connector }), ended(uetr, offset, id)];
}

/** Events and the snapshot of a path. */
function seen(
  uetr: string,
  closesWith: string,
  path: readonly (readonly [string, number])[],
  items: readonly SnapshotItem[],
): readonly HistoryEntry[] {
  const transitions = path.map(([state, offset], index) => ({
    stageVersion: index + 1,
    state,
    offset: String(offset),
    atMs: atMsOf(offset),
  }));
  return [
    ...path.map(([state, offset], index) => eventRecord(uetr, index + 1, state, offset, offset * 10 + index)),
    { kind: "snapshot", uetr, state: path.at(-1)?.[0] ?? "", closesWith, transitions, items, remarks: [] },
  ];
}

export function undelivered(state: string): SnapshotItem {
  return item(5, state, { cause: "OUTCOME_UNDELIVERED" });
}
