// Builds dead letters: a record that cannot be read or was skipped, with its bytes, its place and the reason.
//
// #1 A record may be as large as a producer may send, and its letter is larger. So of a large record the letter has the
//    place, the length and the hash; the topic that the record came from still has the bytes.

import { createHash } from "node:crypto";
import { headers, type Serde, topics } from "@sluice/contracts";
import type { OutgoingRecord, ReceivedRecord, SkipRequest } from "../port.ts";
import type { UnreadableReason } from "./operator-skips.ts";

export interface DeadLetterSource {
  readonly record: ReceivedRecord;
  /** Short, stable text; never a value of the record. */
  readonly reason: string;
  readonly service: string;
  /**
   * Who decided to skip the record, and the id of that action. While it is `requested` the partition has not skipped it
   * yet.
   */
  readonly skip?: Omit<SkipRequest, "reason"> & { readonly stage: "requested" | "done" };
}

/** An operator's own words go into the dead letter and into no log line. */
export function deadLetterReason({ unreadable, skip }: UnreadableReason): Pick<DeadLetterSource, "reason" | "skip"> {
  if (skip === undefined) return { reason: unreadable };
  const { reason, ...by } = skip;
  return { reason, skip: { ...by, stage: "done" } };
}

/** Bytes of a value that a letter carries; with all else it stays below what a producer may send in one record. */
const valueBytesMax = 800_000;
/** Bytes of a key: Sluice's own have at most 64, and a letter has its key twice. */
const keyBytesMax = 4_096;
const headersBytesMax = 65_536;

/** The letter gets the record's partition and key, so that the dead letters of one key stay in order. */
export function buildDeadLetter({ record, reason, service, skip }: DeadLetterSource, serde: Pick<Serde, "encode">): OutgoingRecord {
  const { topic, partition, offset, appendedAtMs } = record;
  const { key, value, bytes, omitted } = carry(record);
  const place = { topic, partition, offset, appendedAtMs };
  const { operator = null, person = null, confirmedBy = null, actionId = null } = skip ?? {};
  const skipped = { operator, person, confirmedBy, actionId };
  const letter = { ...place, key, value, headers: Object.fromEntries(bytes), reason, service, ...skipped };
  return {
    topic: topics.deadLetters,
    partition,
    key,
    value: serde.encode("DeadLetter", letter),
    headers: { [headers.type]: "DeadLetter", ...omitted, ...(skip === undefined ? {} : { [headers.skip]: skip.stage }) },
  };
}

/** What a letter carries of its record, and the header that says what is left out (#1). */
function carry(record: ReceivedRecord) {
  const all = Object.entries(record.headers).map(([name, text]) => [name, Buffer.from(text, "utf8")] as const);
  const headerBytes = all.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
  const key = (record.key?.length ?? 0) > keyBytesMax ? null : record.key;
  const value = (record.value?.length ?? 0) > valueBytesMax ? null : record.value;
  const bytes = headerBytes > headersBytesMax ? [] : all;
  if (key === record.key && value === record.value && bytes === all) return { key, value, bytes, omitted: {} };
  const hash = createHash("sha256").update(record.value ?? new Uint8Array());
  return { key, value, bytes, omitted: { [headers.omittedBytes]: `${record.value?.length ?? 0} bytes, SHA-256 ${hash.digest("hex")}` } };
}
