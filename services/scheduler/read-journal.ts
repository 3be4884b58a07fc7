// Records of the journal, read.
//
// 1. A record that cannot be read for a reason outside it (its schema is not known yet) makes its lane wait: a retryable Fault, and the lane
//    tries again by itself.
// 2. A record that is unreadable in itself (bad bytes, no key, a record that does not belong here) is put aside with its reason.

import { partitionOf } from "@sluice/contracts";
import type { AnyDecoded, Serde } from "@sluice/contracts";
import type { ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/runtime";
import type { Handlers, JournalRecord } from "./handler.ts";

export interface Unreadable {
  readonly record: ReceivedRecord;
  /** Short and stable; never a value of the record. */
  readonly unreadable: string;
}

export interface JournalReader {
  readonly serde: Serde;
  readonly handlers: Handlers;
  readonly lanes: number;
}

export async function readJournal(record: ReceivedRecord, reader: JournalReader): Promise<JournalRecord | Unreadable> {
  if (record.key === null) return { record, unreadable: "no key" };
  const key = new TextDecoder().decode(record.key);
  const decoded = await decode(record, reader.serde);
  if (typeof decoded === "string") return { record, unreadable: decoded };
  const handler = reader.handlers[decoded.name];
  if (handler === undefined) return { record, unreadable: `${decoded.name} does not belong into the journal` };
  const isOfLane = handler.aggregate === "lane" || partitionOf(record.key, reader.lanes) === record.partition;
  return isOfLane ? { record, key, decoded, handler } : { record, unreadable: "its key belongs to another lane" };
}

/** Or why not. */
async function decode({ value }: ReceivedRecord, serde: Serde): Promise<AnyDecoded | string> {
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
