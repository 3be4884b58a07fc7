// Reads the records of the journal.
//
// #1 A record that cannot be read for a reason outside it (its schema is not known yet) makes its partition wait: a
//    retryable Fault, and the partition tries again by itself.
// #2 A record that is unreadable in itself (bad bytes, no key, a record that does not belong here) is dead-lettered
//    with its reason.
// #3 A record that an operator skipped while it stopped the partition is skipped at each reading, also when it could be
//    read by then.

import { type AnyDecodedRecord, partitionFor, type Serde } from "@sluice/contracts";
import type { SkipRequest, ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/kernel";
import type { JournalHandlers, JournalRecord } from "../handlers/handler.ts";

export interface UnreadableRecord {
  readonly record: ReceivedRecord;
  /** The reason: short and stable, never a value of the record. */
  readonly unreadable: string;
  /** The operator's request to skip the record, whether or not it can be read; absent if there is none. */
  readonly skip?: SkipRequest;
}

/** Marks a record as skipped without looking at its content (#3). */
export function skipByOperator(record: ReceivedRecord, skip: SkipRequest): UnreadableRecord {
  return { record, unreadable: "by hand", skip };
}

export interface JournalReaderPorts {
  readonly serde: Serde;
  readonly handlers: JournalHandlers;
  readonly partitionCount: number;
}

export async function readJournal(record: ReceivedRecord, reader: JournalReaderPorts): Promise<JournalRecord | UnreadableRecord> {
  if (record.key === null) return { record, unreadable: "no key" };
  const key = new TextDecoder().decode(record.key);
  const decoded = await decode(record, reader.serde);
  if (typeof decoded === "string") return { record, unreadable: decoded };
  const handler = reader.handlers[decoded.name];
  if (handler === undefined) return { record, unreadable: `${decoded.name} does not belong into the journal` };
  const isInOwnPartition = handler.aggregate === "partition" || partitionFor(record.key, reader.partitionCount) === record.partition;
  return isInOwnPartition ? { record, key, decoded, handler } : { record, unreadable: "its key belongs to another partition" };
}

/** Decodes a record, or returns the reason why it is unreadable. */
async function decode({ value }: ReceivedRecord, serde: Serde): Promise<AnyDecodedRecord | string> {
  if (value === null) return "no value";
  try {
    return serde.decode(value);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (!error.isRetryable) return error.message;
    await serde.learn(value);
    return serde.decode(value);
  }
}
