import kafkajs from "kafkajs";
import Encoder from "kafkajs/src/protocol/encoder.js";
import recordOf from "kafkajs/src/protocol/recordBatch/record/v0/index.js";
import { RecordBatch } from "kafkajs/src/protocol/recordBatch/v0/index.js";
import kafkajsResponse from "kafkajs/src/protocol/requests/fetch/v11/response.js";
import { expect, test } from "vitest";
import { crc32c } from "./crc32c.ts";
import { findUnreadable, readFetchAnswer } from "./fetch-answer.ts";
import "../kafkajs/kafkajs-repairs.ts";

// Answers built with kafkajs's own encoders, as a broker would send them.

const { None, GZIP, ZSTD } = kafkajs.CompressionTypes;
const nowMs = 1_795_000_000_000;
const checksumAt = 17;
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
  return withChecksum(bytes);
}

/** As the broker writes it over a batch, and a damaged disk does not. */
function withChecksum(batchBytes: Buffer): Buffer {
  const bytes = Buffer.from(batchBytes);
  bytes.writeUInt32BE(crc32c(bytes, attributesAt, bytes.length), checksumAt);
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
    expect((await messagesIn(withChecksum(bare), await batch({ firstOffset: 3n }))).map(({ offset }) => offset)).toEqual([3n, 4n, 5n]);
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

const firstRecordAt = 61;
const countAt = 57;

/** The good batch between two others, damaged by `damage`, and what the reader makes of the three. */
async function readDamaged(damage: (good: Buffer) => Buffer, given: Given = { compression: None }) {
  const [before, after] = [await batch({}), await batch({ firstOffset: 6n })];
  const messages = await messagesIn(before, damage(await batch({ ...given, firstOffset: 3n })), after);
  const unreadable = findUnreadable(messages);
  return { offsets: messages.map(({ offset }) => offset), unreadable, keys: unreadable?.keys.map(({ offset }) => offset) };
}

function changeInt32(at: number, value: number): (good: Buffer) => Buffer {
  return (good) => {
    const bytes = Buffer.from(good);
    bytes.writeInt32BE(value, at);
    return bytes;
  };
}

const changeByte =
  (at: number, value: (byte: number) => number) =>
  (good: Buffer): Buffer =>
    Buffer.from(good).fill(value(good[at] ?? 0) & 0xff, at, at + 1);

test.for<[string, (good: Buffer) => Buffer]>([
  ["a record that is longer than it says", changeByte(firstRecordAt, (byte) => byte + 2)],
  ["fewer records than it says", changeInt32(countAt, 4)],
  ["two billion records as it says", changeInt32(countAt, 2 ** 31 - 1)],
  ...[0, 2, 50, 127, 255].map((length): [string, (good: Buffer) => Buffer] => [
    `a first record of length byte ${length}`,
    changeByte(firstRecordAt, () => length),
  ]),
  ["records of ones", (good) => Buffer.from(good).fill(0xff, firstRecordAt + 1)],
])("a batch with %s ends the records of its partition, behind those before it", async ([_what, damage]) => {
  const { offsets, unreadable } = await readDamaged((good) => withChecksum(damage(good)));
  expect(offsets).toEqual([0n, 1n, 2n, 5n]);
  expect(unreadable).toMatchObject({ topic: "t", partition: 0, firstOffset: 3n, lastOffset: 5n, reason: "records" });
});

test("a batch of an older format, or packed by a codec that is not here, says so; its keys are not known", async () => {
  const old = await readDamaged(changeByte(16, () => 1));
  expect([old.offsets, old.unreadable]).toMatchObject([[0n, 1n, 2n, 5n], { reason: "format", detail: "format 1", keys: [] }]);
  for (const [codec, name] of [
    [2, "snappy"],
    [3, "lz4"],
    [7, "codec 7"],
  ] as const) {
    const packed = await readDamaged((good) => withChecksum(changeByte(attributesAt + 1, () => codec)(good)));
    expect(packed.unreadable).toMatchObject({ reason: "compression", detail: name, keys: [], firstOffset: 3n, lastOffset: 5n });
  }
  const broken = await readDamaged((good) => withChecksum(changeByte(firstRecordAt + 4, (byte) => ~byte)(good)), {});
  expect(broken.unreadable).toMatchObject({ reason: "compression", detail: expect.stringContaining("zstd") });
});

test("one changed bit anywhere in the checked bytes is found, and no record of that batch is handed on", async () => {
  for (const compression of [None, ZSTD]) {
    const { length } = await batch({ compression, firstOffset: 3n });
    for (let at = attributesAt; at < length; at += 1) {
      const { offsets, unreadable } = await readDamaged(
        changeByte(at, (byte) => byte ^ (1 << (at % 8))),
        { compression },
      );
      expect(offsets.slice(0, 3)).toEqual([0n, 1n, 2n]);
      expect(unreadable).toMatchObject({ reason: "checksum", firstOffset: 3n, lastOffset: 5n });
    }
  }
});

test("the keys of a batch with a wrong checksum are those that can be made out, each at its first offset", async () => {
  expect((await readDamaged(changeInt32(checksumAt, 0))).keys).toEqual([3n, 5n]);
  expect((await readDamaged(changeInt32(countAt, 900))).keys).toEqual([3n, 5n]);
  expect((await readDamaged((good) => Buffer.from(good).fill(0xff, firstRecordAt))).keys).toEqual([]);
});

test("a damaged batch cannot reach beyond the batch that follows it, or beyond the end of its partition", async () => {
  const lastOffsetDeltaAt = 23;
  for (const delta of [-1, 0, 1, 100, 2 ** 31 - 1]) {
    expect((await readDamaged(changeInt32(lastOffsetDeltaAt, delta))).unreadable?.lastOffset).toBe(5n);
  }
  const alone = async (delta: number) =>
    findUnreadable(await messagesIn(changeInt32(lastOffsetDeltaAt, delta)(await batch({ compression: None }))))?.lastOffset;
  expect([await alone(-1), await alone(1), await alone(4_999), await alone(5_000)]).toEqual([0n, 1n, 4_999n, 0n]);
});

test("a batch that states fewer bytes than its head has ends the records, because the next one cannot be found", async () => {
  for (const length of [-1, 0, 48]) {
    const { offsets, unreadable } = await readDamaged(changeInt32(8, length));
    expect(offsets).toHaveLength(4);
    expect(unreadable).toMatchObject({ firstOffset: 3n, reason: "records" });
  }
});

test("the bytes of an unreadable batch are kept whole, or by length and hash where they are too many", async () => {
  const small = await readDamaged((good) => withChecksum(changeByte(attributesAt + 1, () => 3)(good)));
  expect(small.unreadable?.bytes).toHaveLength(small.unreadable?.byteLength ?? 0);
  const large = await readDamaged(changeInt32(checksumAt, 0), { compression: None, valueBytes: 300_000 });
  expect(large.unreadable).toMatchObject({ bytes: null, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(large.unreadable?.byteLength).toBeGreaterThan(512 * 1024);
});
