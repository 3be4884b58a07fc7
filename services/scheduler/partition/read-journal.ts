// Reads the records of the journal.
//
// #1 A record that cannot be read for a reason outside it (its schema is not known yet) makes its partition wait: a
//    retryable Fault, and the partition tries again by itself.
// #2 A record that is unreadable in itself (bad bytes, no key, a record that does not belong here) is dead-lettered
//    with its reason.
// #3 An operator's record that is not signed as it must be is read and has no effect. It is no dead letter: that would
//    quarantine a transaction, and anybody who may write the journal could cause that.
// #4 A record that an operator skipped while it stopped the partition is skipped at each reading, also when it could be
//    read by then.

import { isOperatorRecord, partitionFor, type Serde } from "@sluice/contracts";
import { readOrLearn, type ReceivedRecord, type UnreadableReason } from "@sluice/messaging";
import type { OperatorJudge, RecordRefusalReason } from "@sluice/signatures";
import { type JournalHandler, type JournalHandlers, type JournalRecord, noEffects } from "../handlers/handler.ts";

export interface UnreadableRecord extends UnreadableReason {
  readonly record: ReceivedRecord;
}

export interface JournalReaderPorts {
  readonly serde: Serde;
  readonly handlers: JournalHandlers;
  readonly partitionCount: number;
  readonly operatorJudge: Pick<OperatorJudge, "judge">;
}

const utf8 = new TextDecoder();

export async function readJournal(record: ReceivedRecord, reader: JournalReaderPorts): Promise<JournalRecord | UnreadableRecord> {
  if (record.key === null) return { record, unreadable: "no key" };
  const key = utf8.decode(record.key);
  const decoded = await readOrLearn(record, reader.serde);
  if (typeof decoded === "string") return { record, unreadable: decoded };
  const handler = reader.handlers[decoded.name];
  if (handler === undefined) return { record, unreadable: `${decoded.name} does not belong in the journal` };
  const isInOwnPartition = handler.aggregate === "partition" || partitionFor(record.key, reader.partitionCount) === record.partition;
  if (!isInOwnPartition) return { record, unreadable: "its key belongs to another partition" };
  const refusal = isOperatorRecord(decoded) ? reader.operatorJudge.judge(record) : null;
  return { record, key, decoded, handler: refusal === null ? handler : refuseBy(handler, refusal) };
}

/** #3 */
function refuseBy({ aggregate }: JournalHandler, refusal: RecordRefusalReason): JournalHandler {
  return {
    aggregate,
    handle: ({ record, key, decoded }) => ({
      record,
      key,
      name: decoded.name,
      decision: "refused",
      reason: `${operatorRefusalPrefix}${refusal}`,
      outgoing: [],
      ...noEffects,
    }),
  };
}

export const operatorRefusalPrefix = "operator-record-";
