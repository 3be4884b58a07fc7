// Turns a record that cannot be read or decided into a dead letter with its bytes. Its transaction is marked as
// quarantined, so that what follows under its UETR goes to the dead letters too, in order, until it is replayed.
//
// #1 Under a day's or a bank's key only the record itself is dead-lettered; so is a record in a partition that its key
//    does not belong to.
// #2 A replay writes the dead letter again; the mark is set once.

import { headers as headerNames, partitionFor, type RecordName } from "@sluice/contracts";
import type { RecordDeadLettered } from "@sluice/domain";
import { buildDeadLetter, deadLetterReason, type ReceivedRecord } from "@sluice/messaging";
import { type HandledRecord, type HandlerContext, type JournalRecord, noEffects, type UnitOfWork } from "./handler.ts";
import { handleFact } from "./on-transaction-fact.ts";
import type { UnreadableRecord } from "../partition/read-journal.ts";

const uetrPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** Reads the UETR that a record is about, as far as it can be known; null if there is none. */
export function readRecordUetr(read: JournalRecord | UnreadableRecord, partitionCount: number): string | null {
  if ("handler" in read) return read.handler.aggregate === "transaction" ? read.key : null;
  const { key, partition } = read.record;
  if (key === null || partitionFor(key, partitionCount) !== partition) return null;
  const text = new TextDecoder().decode(key);
  return uetrPattern.test(text) ? text : null;
}

export function deadLetterRecord(
  read: JournalRecord | UnreadableRecord,
  reason: string,
  working: UnitOfWork,
  context: HandlerContext,
): HandledRecord {
  const { record } = read;
  const { service, serde, partitionCount } = context;
  const uetr = readRecordUetr(read, partitionCount);
  const holds = "skip" in read && read.skip !== undefined ? "unknown" : readHeaderMessage(record);
  const marked = uetr === null ? null : quarantine(record, uetr, { kind: "RecordDeadLettered", reason, holds }, working, context);
  const letter = buildDeadLetter({ record, service, ...deadLetterReason("unreadable" in read ? read : { unreadable: reason }) }, serde);
  const name: RecordName | "unreadable" = "decoded" in read ? read.decoded.name : "unreadable";
  const key = record.key === null ? "" : new TextDecoder().decode(record.key);
  const outgoing = [...(marked?.outgoing ?? []), letter];
  return { ...noEffects, record, key, name, decision: "dead-lettered", reason, outgoing, transaction: marked?.transaction ?? null };
}

/** What the header says that the record is. Ingress writes it, so a record that was answered 202 always has it. */
function readHeaderMessage({ headers }: ReceivedRecord): "debit" | "credit" | null {
  const type = headers[headerNames.type];
  if (type === "DirectDebitReceived") return "debit";
  return type === "CreditTransferReceived" ? "credit" : null;
}

/** Marks the transaction; null if the domain cannot decide any fact about it. */
function quarantine(record: ReceivedRecord, uetr: string, fact: RecordDeadLettered, working: UnitOfWork, context: HandlerContext) {
  try {
    return handleFact({ record, decoded: null }, uetr, fact, working, context);
  } catch {
    return null;
  }
}
