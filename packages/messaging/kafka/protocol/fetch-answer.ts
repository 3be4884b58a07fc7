// Reads the answer to a Fetch (version 11) with its record batches (format 2; layout in `produce-request.ts`). Each
// record has the form of the port at once, and the members that kafkajs needs. kafkajs makes a decoder for each record
// and texts of all numbers.
//
// #1 A batch cut off at the end is dropped, because the broker answers with the bytes asked for, not with whole
//    batches.
// #2 Keys and values share the memory of their batch and of nothing else, so that a kept record does not keep the whole
//    answer.
// #3 A malformed batch is an error, and none of its records is handed on.

import { lookupCodec } from "kafkajs/src/protocol/message/compression/index.js";
import type { FetchAnswer, FetchedMessage, FetchedPartition } from "kafkajs/src/protocol/requests/fetch/index.js";
import { WireReader } from "./wire-reader.ts";

const batchHeadBytes = 61;
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
  const responses = await each(reader, async () => {
    const topicName = reader.text();
    return { topicName, partitions: await each(reader, () => readPartition(reader, topicName)) };
  });
  // The broker has not throttled the request; it asks the client to wait.
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses };
}

async function readPartition(reader: WireReader, topic: string): Promise<FetchedPartition> {
  const partition = reader.int32();
  return {
    partition,
    errorCode: reader.int16(),
    highWatermark: String(reader.int64()),
    lastStableOffset: String(reader.int64()),
    lastStartOffset: String(reader.int64()),
    abortedTransactions: await each(reader, async () => ({ producerId: String(reader.int64()), firstOffset: String(reader.int64()) })),
    preferredReadReplica: reader.int32(),
    messages: await readMessages(reader.bytes(Math.max(0, reader.int32())), { topic, partition }),
  };
}

async function each<T>(reader: WireReader, read: () => Promise<T>): Promise<T[]> {
  const items: T[] = [];
  for (let left = reader.int32(); left > 0; left -= 1) items.push(await read());
  return items;
}

interface Place {
  readonly topic: string;
  readonly partition: number;
}

async function readMessages(batches: Buffer, place: Place): Promise<readonly FetchedMessage[]> {
  const reader = new WireReader(batches);
  const messages: FetchedMessage[] = [];
  while (reader.left >= batchHeadBytes) {
    const firstOffset = reader.int64();
    const length = reader.int32();
    // #1
    if (length > reader.left) break;
    await readBatch(new WireReader(reader.bytes(length)), firstOffset, place, messages);
  }
  return messages;
}

async function readBatch(batch: WireReader, firstOffset: bigint, { topic, partition }: Place, messages: FetchedMessage[]): Promise<void> {
  batch.int32();
  const format = batch.int8();
  if (format !== magic) throw new Error(`a record batch of format ${format} in ${topic}/${partition}`);
  batch.int32();
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
    if (records.at !== end) throw new Error(`a record that is not as long as it says, in ${topic}/${partition}`);
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
  const known = lookupCodec(codec);
  if (known !== null) return known.decompress(bytes);
  if (codec !== none) throw new Error(`a record batch packed in a way that is not known, ${codec}`);
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
