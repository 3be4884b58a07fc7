// Reads the answer to a Fetch (version 11) with its record batches (format 2; layout in `produce-request.ts`). Each
// record has the form of the port at once, and the members that kafkajs needs. kafkajs makes a decoder for each record
// and texts of all numbers.
//
// #1 A batch cut off at the end is dropped, because the broker answers with the bytes asked for, not with whole
//    batches.
// #2 Keys and values share the memory of their batch and of nothing else, so that a kept record does not keep the whole
//    answer.
// #3 A batch that cannot be read ends the records of its partition, and none of its own records is handed on. It comes
//    last, as a message without a value that holds the `UnreadableBatch`, because kafkajs passes messages only. Its
//    offset is the batch's last one, so that kafkajs keeps it also where the fetch began inside the batch.
// #4 The checksum of every batch is verified. zstd frames and uncompressed records have no other.

import { lookupCodec } from "kafkajs/src/protocol/message/compression/index.js";
import type { FetchAnswer, FetchedMessage, FetchedPartition } from "kafkajs/src/protocol/requests/fetch/index.js";
import { describeBytes, unreadableKeysMax } from "../../unreadable-batch.ts";
import type { UnreadableBatch } from "../../port.ts";
import { crc32c } from "./crc32c.ts";
import { WireReader } from "./wire-reader.ts";

const batchHeadBytes = 61;
/** Bytes before the part that the length counts: first offset and length. */
const lengthEndsAt = 12;
/** Where the checksum lies, and the attributes, with which the checked bytes begin. */
const checksumAt = 17;
const attributesAt = 21;
const formatAt = 16;
const lastOffsetDeltaAt = 23;
const lastAtMsAt = 35;
const magic = 2;
const codecMask = 0x07;
const none = 0;
const appendTimeFlag = 0x08;
const transactionFlag = 0x10;
const controlFlag = 0x20;

export async function readFetchAnswer(payload: Buffer): Promise<FetchAnswer> {
  const reader = new WireReader(payload);
  const clientSideThrottleTime = reader.int32();
  const errorCode = reader.int16();
  const sessionId = reader.int32();
  const responses: FetchAnswer["responses"][number][] = [];
  for (let topics = reader.int32(); topics > 0; topics -= 1) {
    const topicName = reader.text();
    const partitions: FetchedPartition[] = [];
    for (let left = reader.int32(); left > 0; left -= 1) {
      const { batches, end, ...partition } = readPartition(reader);
      // Most partitions of most answers have nothing new, and each wait costs a turn of the queue.
      const place = { topic: topicName, partition: partition.partition, end };
      partitions.push({ ...partition, messages: batches.length === 0 ? [] : await readMessages(batches, place) });
    }
    responses.push({ topicName, partitions });
  }
  // The broker has not throttled the request; it asks the client to wait.
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses };
}

interface PartitionAnswer extends Omit<FetchedPartition, "messages">, Pick<Place, "end"> {
  readonly batches: Buffer;
}

function readPartition(reader: WireReader): PartitionAnswer {
  const partition = reader.int32();
  const errorCode = reader.int16();
  const end = reader.int64();
  const [lastStableOffset, lastStartOffset] = [String(reader.int64()), String(reader.int64())];
  const abortedTransactions: FetchedPartition["abortedTransactions"][number][] = [];
  for (let left = reader.int32(); left > 0; left -= 1) {
    abortedTransactions.push({ producerId: String(reader.int64()), firstOffset: String(reader.int64()) });
  }
  const preferredReadReplica = reader.int32();
  const batches = reader.bytes(Math.max(0, reader.int32()));
  return {
    partition,
    errorCode,
    end,
    highWatermark: String(end),
    lastStableOffset,
    lastStartOffset,
    abortedTransactions,
    preferredReadReplica,
    batches,
  };
}

interface Place {
  readonly topic: string;
  readonly partition: number;
  /** The end of the partition: no batch has an offset at or beyond it. */
  readonly end: bigint;
}

/** The message that stands for a batch that cannot be read (#3). */
interface UnreadableMessage extends FetchedMessage {
  readonly unreadable: UnreadableBatch;
}

/** Answers the batch at which the records of a partition end; null if all could be read. */
export function findUnreadable(messages: readonly FetchedMessage[]): UnreadableBatch | null {
  const last = messages.at(-1);
  return last !== undefined && isUnreadable(last) ? last.unreadable : null;
}

function isUnreadable(message: FetchedMessage): message is UnreadableMessage {
  return "unreadable" in message;
}

/** Why a batch cannot be read. */
class BatchError extends Error {
  readonly reason: UnreadableBatch["reason"];

  constructor(reason: UnreadableBatch["reason"], detail: string) {
    super(detail);
    this.reason = reason;
  }
}

async function readMessages(batches: Buffer, place: Place): Promise<readonly FetchedMessage[]> {
  const reader = new WireReader(batches);
  const messages: FetchedMessage[] = [];
  while (reader.left >= batchHeadBytes) {
    const from = reader.at;
    const firstOffset = reader.int64();
    const length = reader.int32();
    // #1
    if (length > reader.left) break;
    // A shorter length would lose the way to the next batch.
    const isHeadWhole = length >= batchHeadBytes - lengthEndsAt;
    const batch = batches.subarray(from, isHeadWhole ? from + lengthEndsAt + length : batches.length);
    const readBefore = messages.length;
    try {
      if (!isHeadWhole) throw new BatchError("records", `a batch of ${length} bytes`);
      reader.bytes(length);
      await readBatch(batch, firstOffset, place, messages);
    } catch (error) {
      const { reason, message } = error instanceof BatchError ? error : new BatchError("records", String(error));
      const keys = reason === "checksum" ? await guessKeys(batch, firstOffset, place) : distinctKeys(messages.slice(readBefore));
      messages.length = readBefore;
      messages.push(
        unreadableMessage({ batch, firstOffset, followedBy: batches.subarray(from + batch.length), reason, detail: message, keys }, place),
      );
      break;
    }
  }
  return messages;
}

interface BrokenBatch extends Pick<UnreadableBatch, "firstOffset" | "reason" | "detail" | "keys"> {
  readonly batch: Buffer;
  /** The bytes after it. */
  readonly followedBy: Buffer;
}

function unreadableMessage({ batch, followedBy, ...broken }: BrokenBatch, { topic, partition, end }: Place): UnreadableMessage {
  const lastOffset = lastOffsetIn(batch, broken.firstOffset, followedBy, end);
  const appendedAtMs = Number(batch.readBigInt64BE(lastAtMsAt));
  const keys = broken.keys.filter(({ offset }) => offset >= broken.firstOffset && offset <= lastOffset);
  const unreadable = { topic, partition, ...broken, keys, lastOffset, appendedAtMs, ...describeBytes(batch) };
  const batchContext = { producerId: "-1", inTransaction: false };
  return {
    topic,
    partition,
    offset: lastOffset,
    appendedAtMs,
    key: null,
    value: null,
    headers: {},
    isControlRecord: false,
    batchContext,
    unreadable,
  };
}

/** The head may be damaged, so the batch that follows and the end of the partition count before what it states. */
function lastOffsetIn(batch: Buffer, firstOffset: bigint, followedBy: Buffer, end: bigint): bigint {
  const next = followedBy.length >= 8 ? followedBy.readBigInt64BE(0) : -1n;
  if (next > firstOffset && next <= end) return next - 1n;
  const stated = firstOffset + BigInt(batch.readInt32BE(lastOffsetDeltaAt));
  return stated > firstOffset && stated < end ? stated : firstOffset;
}

/** Reads a damaged batch as far as it goes, for its keys alone. */
async function guessKeys(batch: Buffer, firstOffset: bigint, place: Place): Promise<UnreadableBatch["keys"]> {
  const messages: FetchedMessage[] = [];
  await readRecords(batch, firstOffset, place, messages).catch(() => null);
  return distinctKeys(messages);
}

/** Each key at its first offset. Bounded, because a damaged batch may hold any number of them. */
function distinctKeys(messages: readonly FetchedMessage[]): UnreadableBatch["keys"] {
  const known = new Map<string, { readonly offset: bigint; readonly key: Uint8Array }>();
  for (const { offset, key } of messages) {
    if (known.size >= unreadableKeysMax) break;
    const text = key?.toString("latin1");
    if (key !== null && text !== undefined && !known.has(text)) known.set(text, { offset, key: Uint8Array.from(key) });
  }
  return [...known.values()];
}

async function readBatch(batch: Buffer, firstOffset: bigint, place: Place, messages: FetchedMessage[]): Promise<void> {
  const format = batch.readInt8(formatAt);
  if (format !== magic) throw new BatchError("format", `format ${format}`);
  // #4
  const [stated, computed] = [batch.readUInt32BE(checksumAt), crc32c(batch, attributesAt, batch.length)];
  if (stated !== computed) throw new BatchError("checksum", `it states ${stated}, its bytes have ${computed}`);
  await readRecords(batch, firstOffset, place, messages);
}

async function readRecords(bytes: Buffer, firstOffset: bigint, { topic, partition }: Place, messages: FetchedMessage[]): Promise<void> {
  const batch = new WireReader(bytes.subarray(attributesAt));
  const attributes = batch.int16();
  batch.int32();
  const firstAtMs = Number(batch.int64());
  const lastAtMs = Number(batch.int64());
  const producerId = String(batch.int64());
  batch.int16();
  batch.int32();
  const count = batch.int32();
  // The broker may keep the head of a batch whose records were all compacted away.
  if (count <= 0) return;
  const records = new WireReader(await ownRecords(batch.bytes(batch.left), attributes & codecMask));
  const isControlRecord = (attributes & controlFlag) !== 0;
  const batchContext = { producerId, inTransaction: (attributes & transactionFlag) !== 0 };
  for (let read = 0; read < count; read += 1) {
    const length = records.varint();
    const end = records.at + length;
    records.int8();
    const sinceFirstMs = records.varint();
    const offset = firstOffset + BigInt(records.varint());
    const appendedAtMs = (attributes & appendTimeFlag) === 0 ? firstAtMs + sinceFirstMs : lastAtMs;
    const key = records.varBytes();
    const value = records.varBytes();
    messages.push({ topic, partition, offset, appendedAtMs, key, value, headers: readHeaders(records), isControlRecord, batchContext });
    // #3
    if (records.at !== end) throw new BatchError("records", "a record that is not as long as it says");
  }
}

/** The last header of a name counts; a header without a value is ignored. */
function readHeaders(records: WireReader): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let left = records.varint(); left > 0; left -= 1) {
    const name = records.varText();
    const value = records.varNullableText();
    if (value !== null) headers[name] = value;
  }
  return headers;
}

/** #2 */
async function ownRecords(bytes: Buffer, codec: number): Promise<Buffer> {
  if (codec !== none) return await decompressWith(codec, bytes);
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

const codecNames = ["none", "gzip", "snappy", "lz4", "zstd"];
const readableCodecs = [1, 4];

async function decompressWith(codec: number, bytes: Buffer): Promise<Buffer> {
  const name = codecNames[codec] ?? `codec ${codec}`;
  const known = readableCodecs.includes(codec) ? lookupCodec(codec) : null;
  if (known === null) throw new BatchError("compression", name);
  try {
    return await known.decompress(bytes);
  } catch (error) {
    throw new BatchError("compression", `${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
