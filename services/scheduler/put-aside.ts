// A record that is put aside: nobody can read it, or nobody can judge it. It goes into the dead letters with its bytes, and its transaction is
// marked as parked, so that what follows under its UETR goes there too, in order, until it is replayed.
//
// 1. Under a day's or a bank's key only the record itself is put aside; so is one that lies in a lane which is not its key's.
// 2. A replay writes the dead letter again; the mark is set once.

import type { RecordName } from "@sluice/contracts";
import { partitionOf } from "@sluice/contracts";
import { deadLetterOf } from "@sluice/messaging";
import type { PutAside, ReceivedRecord } from "@sluice/messaging";
import { aboutNothing } from "./handler.ts";
import type { JournalRecord, Surroundings, Turn, Working } from "./handler.ts";
import { judgeFact } from "./on-transaction-fact.ts";
import type { Unreadable } from "./read-journal.ts";

const uetrPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** The UETR that a record is about, as far as that can be told; null: it is about none. */
export function uetrOfRecord(read: JournalRecord | Unreadable, lanes: number): string | null {
  if ("handler" in read) return read.handler.aggregate === "transaction" ? read.key : null;
  const { key, partition } = read.record;
  if (key === null || partitionOf(key, lanes) !== partition) return null;
  const text = new TextDecoder().decode(key);
  return uetrPattern.test(text) ? text : null;
}

export function putAside(read: JournalRecord | Unreadable, reason: string, working: Working, surroundings: Surroundings): Turn {
  const { record } = read;
  const { service, serde, lanes } = surroundings;
  const uetr = uetrOfRecord(read, lanes);
  const marked = uetr === null ? null : mark(record, uetr, reason, working, surroundings);
  const letter = deadLetterOf({ record, service, ...causeOf(read, reason) }, serde);
  const name: RecordName | "unreadable" = "decoded" in read ? read.decoded.name : "unreadable";
  const key = record.key === null ? "" : new TextDecoder().decode(record.key);
  const outgoing = [...(marked?.outgoing ?? []), letter];
  return { ...aboutNothing, record, key, name, decision: "put-aside", reason, outgoing, transaction: marked?.transaction ?? null };
}

/** What an operator says is in the letter and in no log line. */
function causeOf(read: JournalRecord | Unreadable, reason: string): Pick<PutAside, "reason" | "by"> {
  if (!("by" in read) || read.by === undefined) return { reason };
  const { operator, actionId, reason: said } = read.by;
  return { reason: said, by: { operator, actionId, stage: "done" } };
}

/** Null: the transaction cannot be judged at all, whatever the fact. */
function mark(record: ReceivedRecord, uetr: string, reason: string, working: Working, surroundings: Surroundings) {
  try {
    return judgeFact({ record, decoded: null }, uetr, { kind: "RecordPutAside", reason }, working, surroundings);
  } catch {
    return null;
  }
}
