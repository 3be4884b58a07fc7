import * as fc from "fast-check";
import Decoder from "kafkajs/src/protocol/decoder.js";
import recordBatchOf from "kafkajs/src/protocol/recordBatch/v0/decoder.js";
import kafkajsRequest from "kafkajs/src/protocol/requests/produce/v7/request.js";
import { expect, test } from "vitest";
import "../kafkajs/kafkajs-repairs.ts";
import { type ProduceRequest, writeProduceRequest } from "./produce-request.ts";

type Topics = ProduceRequest["topicData"];
type Message = Topics[number]["partitions"][number]["messages"][number];

const nowMs = 1_795_000_000_000;
const zstd = 4;
const producer = { acks: -1, timeout: 30_000, producerId: "9007199254740993", producerEpoch: 3 };

const bytes = (length: number, fill = 7): Buffer => Buffer.alloc(length, fill);
const record = (value: Buffer | null, more: Partial<Message> = {}): Message => ({ key: null, value, headers: {}, ...more });

/** kafkajs uses a record's own time if it has one. */
async function fromKafkajs(topics: Topics): Promise<Buffer> {
  const timed = topics.map(({ topic, partitions }) => ({
    topic,
    partitions: partitions.map((part) => ({
      ...part,
      messages: part.messages.map((message) => ({ ...message, timestamp: String(nowMs) })),
    })),
  }));
  return (await kafkajsRequest({ ...producer, compression: zstd, topicData: timed }).encode()).buffer;
}

const fromUs = (topicData: Topics): Buffer => writeProduceRequest({ ...producer, topicData }, nowMs);

test("a request has exactly the bytes that kafkajs would write", async () => {
  const lengths = [0, 1, 40, 63, 64, 100, 8_000, 8_170, 8_180, 8_190, 8_200, 70_000, 1_100_000];
  const topics: Topics = [
    {
      topic: "sluice.journal.v1",
      partitions: [
        { partition: 0, firstSequence: 0, messages: lengths.map((length) => record(bytes(length), { key: bytes(36, 97) })) },
        { partition: 11, firstSequence: 2 ** 31 - 1, messages: [record(null), record(bytes(0), { key: bytes(0) })] },
      ],
    },
    {
      topic: "zahlungen-ü",
      partitions: [
        {
          partition: 3,
          firstSequence: 70_000,
          messages: Array.from({ length: 300 }, (_, index) =>
            record(bytes(index), { headers: { "sluice-type": "Zahlung ✓", traceparent: "0".repeat(index), ü: "" } }),
          ),
        },
      ],
    },
  ];
  expect(fromUs(topics).equals(await fromKafkajs(topics))).toBe(true);
});

test("for arbitrary records the bytes are those of kafkajs", async () => {
  const blob = fc.option(fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)));
  const any = fc.record({
    key: blob,
    value: blob,
    headers: fc.dictionary(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(any, { minLength: 1, maxLength: 12 }), async (messages) => {
      const topics: Topics = [{ topic: "t", partitions: [{ partition: 1, firstSequence: 5, messages }] }];
      expect(fromUs(topics).equals(await fromKafkajs(topics))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test("kafkajs reads back the records of a batch", async () => {
  const messages = [
    record(Buffer.from("a"), { key: Buffer.from("k"), headers: { "sluice-type": "Receipt", traceparent: "00-ü" } }),
    record(null),
  ];
  const request = writeProduceRequest(
    { ...producer, topicData: [{ topic: "t", partitions: [{ partition: 0, firstSequence: 9, messages }] }] },
    nowMs,
  );
  const beforeBatch = 2 + 2 + 4 + 4 + (2 + 1) + 4 + 4 + 4;
  const batch = await recordBatchOf(new Decoder(request.subarray(beforeBatch)));
  expect(batch).toMatchObject({ producerId: producer.producerId, producerEpoch: 3, firstSequence: 9, lastOffsetDelta: 1 });
  expect(batch.records).toMatchObject([
    { offset: "0", timestamp: String(nowMs), key: Buffer.from("k"), value: Buffer.from("a") },
    { offset: "1", key: null, value: null, headers: {} },
  ]);
  expect(batch.records[0]?.headers).toEqual({ "sluice-type": Buffer.from("Receipt"), traceparent: Buffer.from("00-ü") });
});

test("a request does not change while the next one is written", () => {
  const one = (fill: number): Topics => [
    { topic: "t", partitions: [{ partition: 0, firstSequence: 0, messages: [record(bytes(50, fill))] }] },
  ];
  const first = fromUs(one(1));
  const copy = Buffer.from(first);
  fromUs(one(2));
  expect(first.equals(copy)).toBe(true);
});
