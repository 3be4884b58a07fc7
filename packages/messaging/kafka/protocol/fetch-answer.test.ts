import kafkajs from "kafkajs";
import Encoder from "kafkajs/src/protocol/encoder.js";
import recordOf from "kafkajs/src/protocol/recordBatch/record/v0/index.js";
import { RecordBatch } from "kafkajs/src/protocol/recordBatch/v0/index.js";
import kafkajsResponse from "kafkajs/src/protocol/requests/fetch/v11/response.js";
import { expect, test } from "vitest";
import { readFetchAnswer } from "./fetch-answer.ts";
import "../kafkajs-repairs.ts";

// Answers built with kafkajs's own encoders, as a broker would send them.

const { None, GZIP, ZSTD } = kafkajs.CompressionTypes;
const nowMs = 1_795_000_000_000;
const attributesAt = 21;
const appendTime = 0x08;
const control = 0x20;

interface Given {
  readonly count?: number;
  readonly firstOffset?: bigint;
  readonly compression?: number;
  readonly flags?: number;
  readonly transactional?: boolean;
  readonly valueBytes?: number;
}

async function batch({ count = 3, firstOffset = 0n, compression = ZSTD, flags = 0, transactional = false, valueBytes = 40 }: Given) {
  const records = Array.from({ length: count }, (_, index) =>
    recordOf({
      offsetDelta: index,
      timestampDelta: index * 70_000 - 5,
      key: index % 2 === 0 ? Buffer.from(`key ü ${index}`) : null,
      value: index % 3 === 2 ? null : Buffer.alloc(valueBytes, `value ${index} `),
      headers: index === 0 ? {} : { "sluice-type": "Zahlung ✓", twice: ["first", "last"], empty: "" },
    }),
  );
  const { buffer } = await RecordBatch({
    compression,
    firstOffset,
    firstTimestamp: nowMs,
    maxTimestamp: nowMs + 999_999,
    producerId: 9007199254740993n,
    transactional,
    lastOffsetDelta: count - 1,
    records,
  });
  const bytes = Buffer.from(buffer);
  bytes.writeInt16BE(bytes.readInt16BE(attributesAt) | flags, attributesAt);
  return bytes;
}

interface Part {
  readonly partition: number;
  readonly batches: readonly Buffer[];
}

function answer(topic: string, parts: readonly Part[]): Buffer {
  const partitions = parts.map(({ partition, batches }) => {
    const set = Buffer.concat(batches);
    const head = new Encoder().writeInt32(partition).writeInt16(partition).writeInt64(5_000n).writeInt64(4_000n).writeInt64(-1n);
    const aborted = [new Encoder().writeInt64(77n).writeInt64(3n)];
    return head.writeArray(aborted).writeInt32(-1).writeInt32(set.length).writeBuffer(set);
  });
  const topics = [new Encoder().writeString(topic).writeArray(partitions)];
  return new Encoder().writeInt32(250).writeInt16(0).writeInt32(12).writeArray(topics).buffer;
}

const messagesIn = async (...batches: Buffer[]) => {
  const { responses } = await readFetchAnswer(answer("t", [{ partition: 0, batches }]));
  return responses[0]?.partitions[0]?.messages ?? [];
};

test("an answer is read as kafkajs reads it, and its records have the form of the port", async () => {
  const payload = answer("zahlungen-ü", [
    {
      partition: 3,
      batches: [await batch({ count: 200, firstOffset: 2n ** 60n }), await batch({ compression: None, transactional: true })],
    },
    { partition: 0, batches: [] },
    { partition: 11, batches: [await batch({ compression: GZIP, flags: appendTime }), await batch({ count: 1, flags: control })] },
  ]);
  const [ours, theirs] = [await readFetchAnswer(payload), await kafkajsResponse.decode(payload)];
  for (const [at, response] of theirs.responses.entries()) {
    for (const [index, { messages, ...head }] of response.partitions.entries()) {
      const read = ours.responses[at]?.partitions[index];
      expect(read).toMatchObject(head);
      expect(read?.messages).toEqual(
        messages.map(({ offset, timestamp, key, value, headers, isControlRecord, batchContext: { producerId, inTransaction } }) => ({
          topic: "zahlungen-ü",
          partition: head.partition,
          offset: BigInt(offset),
          appendedAtMs: Number(timestamp),
          key,
          value,
          headers: Object.fromEntries(Object.entries(headers).map(([name, bytes]) => [name, String([bytes].flat().at(-1))])),
          isControlRecord,
          batchContext: { producerId, inTransaction },
        })),
      );
    }
  }
  const { responses: _, ...head } = theirs;
  expect(ours).toMatchObject(head);
  expect(ours.responses[0]?.partitions.map(({ messages }) => messages.length)).toEqual([203, 0, 4]);
});

test("a batch that is cut off at the end is dropped", async () => {
  const [whole, cut] = [await batch({}), await batch({ firstOffset: 3n })];
  for (const length of [1, 11, 12, 60, 61, cut.length - 1]) {
    expect((await messagesIn(whole, cut.subarray(0, length))).map(({ offset }) => offset)).toEqual([0n, 1n, 2n]);
  }
});

test("a batch whose records were all compacted away consists of its head and is ignored", async () => {
  for (const compression of [None, ZSTD]) {
    const bare = (await batch({ count: 0, compression })).subarray(0, 61);
    bare.writeInt32BE(bare.length - 12, 8);
    expect((await messagesIn(bare, await batch({ firstOffset: 3n }))).map(({ offset }) => offset)).toEqual([3n, 4n, 5n]);
  }
});

test("a kept record keeps the memory of its batch, not of the answer", async () => {
  for (const compression of [None, ZSTD]) {
    const batches = await Promise.all(Array.from({ length: 50 }, async () => batch({ compression, valueBytes: 1_000 })));
    for (const { key, value } of await messagesIn(...batches)) {
      expect(value?.buffer.byteLength ?? 0).toBeLessThan(3_500);
      expect(key?.buffer.byteLength ?? 0).toBeLessThan(3_500);
    }
  }
});

test("a malformed batch is refused at once", async () => {
  const good = await batch({ compression: None });
  const changed = (at: number, value: number): Buffer => {
    const bytes = Buffer.from(good);
    bytes.writeInt32BE(value, at);
    return bytes;
  };
  const countAt = 57;
  const firstRecord = 61;
  const longer = Buffer.from(good).fill((good[firstRecord] ?? 0) + 2, firstRecord, firstRecord + 1);
  const bad = [
    longer,
    changed(countAt, 4),
    changed(countAt, 2 ** 31 - 1),
    Buffer.concat([good.subarray(0, 16), Buffer.from([1]), good.subarray(17)]),
    ...[0, 2, 50, 127, 255].map((length) =>
      Buffer.concat([good.subarray(0, firstRecord), Buffer.from([length]), good.subarray(firstRecord + 1)]),
    ),
    Buffer.concat([good.subarray(0, firstRecord + 1), Buffer.alloc(good.length - firstRecord - 1, 0xff)]),
  ];
  for (const bytes of bad) await expect(messagesIn(bytes)).rejects.toThrow(/beyond the end|format|not as long|64 bits/);
});
