// Records of the journal, read.
//
// 1. A record that cannot be read for a reason outside it (its schema is not known yet) makes its lane wait: a retryable Fault, and the lane
//    tries again by itself.
// 2. A record that is unreadable in itself (bad bytes, no key, a record that does not belong here) is put aside with its reason.
// 3. One that an operator put aside by hand while it stopped the lane is put aside at each reading, also where it could be read by then.

import { partitionOf } from "@sluice/contracts";
import type { AnyDecoded, Serde } from "@sluice/contracts";
import type { ByHand, ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/runtime";
import type { Handlers, JournalRecord } from "./handler.ts";

export interface Unreadable {
  readonly record: ReceivedRecord;
  /** Short and stable; never a value of the record. */
  readonly unreadable: string;
  /** An operator put it aside, whatever can be read of it; absent: nobody did. */
  readonly by?: ByHand;
}

/** 3. Read again it is not looked at again. */
export function putAsideByHand(record: ReceivedRecord, by: ByHand): Unreadable {
  return { record, unreadable: "by hand", by };
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
