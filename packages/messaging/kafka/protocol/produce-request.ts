// Writes a Produce request (version 7) with its record batches (format 2) into reused buffers, so that a record costs
// no objects. kafkajs makes an encoder with a zeroed buffer for each record and each header, and copies the bytes six
// times.
//
//   request: transactional id, acks, timeout, topics [name, partitions [partition, bytes of the batch 4, batch]]
//   batch:   first offset 8, length 4, leader epoch 4, magic 1, checksum 4 | attributes 2, last offset delta 4,
//            first and last time 8 + 8, producer id 8 and epoch 2, first sequence 4, count 4, records
//   record:  its length, attributes, time delta, offset delta, key, value, headers [name, value]; all as varints
//
// #1 Length and checksum cover everything after them. The records are compressed, the rest is not.
// #2 The answer is a buffer of its own, because another request may be written before this one is sent.

import type { Produced, ProducedPartition } from "kafkajs/src/protocol/requests/produce/index.js";
import { compressedBytesMax, compressInto } from "./batch-zstd.ts";
import { crc32c } from "./crc32c.ts";
import { WireWriter } from "./wire-writer.ts";

export type ProduceRequest = Omit<Produced, "compression">;
type Messages = ProducedPartition["messages"];

const magic = 2;
const zstd = 4;
/** Bytes of a batch from the first offset to the count. */
const headBytes = 61;
const lengthAt = 8;
const checksumAt = 17;
const checkedFrom = 21;

const request = new WireWriter();
const records = new WireWriter();

/** Writes the body of a request that is not part of a transaction. */
export function writeProduceRequest({ acks, timeout, topicData, ...producer }: ProduceRequest, nowMs: number): Buffer {
  const producerId = BigInt(producer.producerId);
  request.clear();
  request.text(null);
  request.int16(acks);
  request.int32(timeout);
  request.int32(topicData.length);
  for (const { topic, partitions } of topicData) {
    request.text(topic);
    request.int32(partitions.length);
    for (const { partition, messages, firstSequence } of partitions) {
      request.int32(partition);
      const sizeAt = request.skip(4);
      writeBatch(messages, { producerId, producerEpoch: producer.producerEpoch, firstSequence }, nowMs);
      request.bytes.writeInt32BE(request.length - sizeAt - 4, sizeAt);
    }
  }
  // #2
  const own = Buffer.allocUnsafeSlow(request.length);
  request.bytes.copy(own, 0, 0, request.length);
  return own;
}

interface Sequence {
  readonly producerId: bigint;
  readonly producerEpoch: number;
  readonly firstSequence: number;
}

function writeBatch(messages: Messages, { producerId, producerEpoch, firstSequence }: Sequence, nowMs: number): void {
  records.clear();
  let count = 0;
  for (const message of messages) {
    writeRecord(message, count);
    count += 1;
  }
  const start = request.length;
  const time = BigInt(nowMs);
  request.int64(0n);
  request.int32(0);
  request.int32(0);
  request.int8(magic);
  request.int32(0);
  request.int16(zstd);
  request.int32(messages.length - 1);
  request.int64(time);
  request.int64(time);
  request.int64(producerId);
  request.int16(producerEpoch);
  request.int32(firstSequence);
  request.int32(messages.length);
  request.reserve(compressedBytesMax(records.length));
  request.length += compressInto(records.bytes.subarray(0, records.length), request.bytes, start + headBytes);
  // #1
  request.bytes.writeInt32BE(request.length - start - lengthAt - 4, start + lengthAt);
  request.bytes.writeUInt32BE(crc32c(request.bytes, start + checkedFrom, request.length), start + checksumAt);
}

function writeRecord({ key, value, headers }: Messages[number], offsetDelta: number): void {
  const start = records.skip(2);
  records.int8(0);
  records.varint(0);
  records.varint(offsetDelta);
  records.varBytes(key);
  records.varBytes(value);
  let headersCount = 0;
  for (const _ in headers) headersCount += 1;
  records.varint(headersCount);
  for (const name in headers) {
    records.varText(name);
    records.varText(headers[name] ?? "");
  }
  records.closeVarint(start);
}
