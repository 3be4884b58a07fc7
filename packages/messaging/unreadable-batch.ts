// A batch of records that cannot be read. Its partition stops there; all other partitions go on.
//
// #1 The bytes of a batch are broken or packed as no codec here reads them, so no record of it can be handled. It may
//    hold debits, so nothing of it is skipped unless an operator asks for it.
// #2 The batch is read again with a back-off, because another replica may have it whole. A checksum that does not fit
//    is reported only if it does not fit a second time, because the bytes may have changed on their way.
// #3 The keys are a guess from damaged bytes. They are used only to quarantine transactions, never as content.
// #4 A batch that an operator skips is handed over as placeholders: one record without a value for each known key, and
//    one at the last offset with the bytes of the batch. So every reader dead-letters it and goes on behind it by the
//    same code by which it skips a record.

import { createHash } from "node:crypto";
import { headers } from "@sluice/contracts";
import { Fault } from "@sluice/kernel";
import type { ReceivedRecord, SkipRequest, UnreadableBatch } from "./port.ts";

/** Why a batch cannot be read; each has its sentence. */
const unreadableBatchTexts = {
  checksum: "its checksum does not fit its bytes",
  compression: "it is compressed in a way that cannot be read",
  format: "it is not of record format 2",
  records: "its records are malformed",
} as const satisfies Record<UnreadableBatch["reason"], string>;

/** Bytes of a batch that are kept in a dead letter; a broker takes a record of 1 MiB. */
const unreadableBytesMax = 512 * 1024;
/** Keys that are made out of one batch; as many as records go into one send. */
export const unreadableKeysMax = 10_000;

const rereadDelayMinMs = 500;
const rereadDelayMaxMs = 10_000;

/** Answers how long to wait before a batch is read again after this many failed readings, from 1. */
export function rereadDelayMs(readings: number): number {
  return Math.min(rereadDelayMaxMs, rereadDelayMinMs * 2 ** Math.min(readings - 1, 10));
}

/** #2 */
export function isReportedNow({ reason }: Pick<UnreadableBatch, "reason">, readings: number): boolean {
  return reason !== "checksum" || readings > 1;
}

/** Answers how the bytes of a batch are reported: whole where they are few, else by length and hash. */
export function describeBytes(batch: Uint8Array): Pick<UnreadableBatch, "bytes" | "byteLength" | "sha256"> {
  const bytes = batch.length <= unreadableBytesMax ? Uint8Array.from(batch) : null;
  return { bytes, byteLength: batch.length, sha256: createHash("sha256").update(batch).digest("hex") };
}

export function formatUnreadableBatch({ firstOffset, lastOffset, reason, detail }: UnreadableBatch): string {
  return `batch ${firstOffset}-${lastOffset} cannot be read: ${unreadableBatchTexts[reason]} (${detail})`;
}

/** A batch cannot be read. Another replica may have it whole, so the same call may succeed later. */
export class UnreadableBatchFault extends Fault {
  readonly batch: UnreadableBatch;

  constructor(batch: UnreadableBatch) {
    const message = `${batch.topic}/${batch.partition}: ${formatUnreadableBatch(batch)}`;
    super("messaging.unreadable-batch", message, { isRetryable: true });
    this.batch = batch;
  }
}

/** The header value by which a dead letter names the batch: first and last offset. */
export function batchRange({ firstOffset, lastOffset }: Pick<UnreadableBatch, "firstOffset" | "lastOffset">): string {
  return `${firstOffset}-${lastOffset}`;
}

/** Null: the text names no batch. */
export function parseBatchRange(text: string): { readonly firstOffset: bigint; readonly lastOffset: bigint } | null {
  const [, first, last] = /^(\d{1,19})-(\d{1,19})$/.exec(text) ?? [];
  if (first === undefined || last === undefined || BigInt(last) < BigInt(first)) return null;
  return { firstOffset: BigInt(first), lastOffset: BigInt(last) };
}

/** #4: one record without a value for each key, and one at the end with the bytes of the batch. */
export function buildSkippedRecords(batch: UnreadableBatch, skip: SkipRequest, nowMs: number): readonly ReceivedRecord[] {
  const { topic, partition, lastOffset, bytes, byteLength, sha256 } = batch;
  // A damaged batch may state any time, and a time in the future would be believed.
  const appendedAtMs = Math.max(0, Math.min(batch.appendedAtMs, nowMs));
  const named = { [headers.unreadableBatch]: batchRange(batch) };
  const place = { topic, partition, appendedAtMs, skip };
  const known = batch.keys.filter(({ offset }) => offset < lastOffset);
  const records = known.map(({ offset, key }): ReceivedRecord => ({ ...place, offset, key, value: null, headers: named }));
  const key = batch.keys.find(({ offset }) => offset === lastOffset)?.key ?? null;
  const described = { ...named, [headers.unreadableBytes]: `${byteLength} bytes, SHA-256 ${sha256}` };
  return [...records, { ...place, offset: lastOffset, key, value: bytes, headers: described }];
}
