import { silentLogger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import kafkajs, { type Kafka, type RecordMetadata } from "kafkajs";
import { expect, test } from "vitest";
import { type BatchSender, KafkaProducer, type KafkaProducerOptions, type OutgoingBatch } from "./producer.ts";
import { TopicSizes } from "./topic-sizes.ts";
import type { OutgoingRecord } from "../port.ts";

// Troubles A and B of the table in README.md, with a sender that answers as kafkajs does when they occur.

const record = (partition: number, text: string): OutgoingRecord => ({
  topic: "t",
  partition,
  key: null,
  value: Buffer.from(text),
  headers: {},
});

type Answer = (partitions: readonly number[]) => RecordMetadata[] | Error;

function setup(answers: Answer[], metrics: KafkaProducerOptions["metrics"] = silentMetrics) {
  const time = createVirtualTime({ startAtMs: 0 });
  const kafka: Kafka = new kafkajs.Kafka({ brokers: ["127.0.0.1:1"], logLevel: kafkajs.logLevel.NOTHING });
  const topics = [{ name: "t", partitions: [0, 1, 2].map((partitionId) => ({ ...leader, partitionId })) }];
  const sizes = new TopicSizes({ ...kafka.admin(), fetchTopicMetadata: async () => ({ topics }) });
  const senders: { sent: OutgoingBatch[]; isDiscarded: boolean }[] = [];
  let offset = 0;
  const base = (partition: number): RecordMetadata => ({
    topicName: "t",
    partition,
    errorCode: 0,
    baseOffset: String((offset += 100)),
    logAppendTime: "1800000000000",
  });
  function createSender(): BatchSender {
    const made = { sent: [] as OutgoingBatch[], isDiscarded: false };
    senders.push(made);
    return {
      connect: async () => {},
      disconnect: async () => void (made.isDiscarded = true),
      sendBatch: async (batch) => {
        made.sent.push(batch);
        await new Promise<void>((resolve) => time.after(5, resolve));
        const partitions = batch.topicMessages.flatMap(({ messages }) => messages.map(({ partition }) => partition));
        const distinct = [...new Set(partitions)];
        const answer = answers.shift()?.(distinct) ?? distinct.map(base);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    };
  }
  const producer = new KafkaProducer({ kafka, sizes, name: "p", time, logger: silentLogger, metrics }, createSender);
  return { time, producer, senders, base };
}

const leader = { partitionErrorCode: 0, leader: 1, replicas: [1], isr: [1] };

test("the producer measures how long the broker took to acknowledge each batch that it did acknowledge", async () => {
  const observed: [number, unknown][] = [];
  const waiting: number[] = [];
  const metrics = {
    histogram: () => ({ observe: (seconds: number, labels: unknown) => void observed.push([seconds, labels]) }),
    gauge: () => ({ set: (count: number) => void waiting.push(count) }),
  };
  const { time, producer } = setup([() => []], metrics);
  const first = producer.send([record(0, "a")]);
  await time.advance(50);
  await first;
  expect(observed).toEqual([[0.01, { producer: "p" }]]);
  // An alarm asks whether a batch waits while nothing is acknowledged.
  expect(waiting).toEqual([0, 1, 0]);
});

test("every batch asks for the acknowledgement of all in-sync replicas [D3.2]", async () => {
  const { time, producer, senders } = setup([]);
  const both = [producer.send([record(0, "a")]), producer.send([record(1, "b"), record(2, "c")])];
  await time.advance(100);
  await Promise.all(both);
  const allInSync = -1;
  expect(senders.flatMap(({ sent }) => sent).map(({ acks }) => acks)).toEqual([allInSync]);
});

test("B: a partition missing in the answer was not sent, and it alone is sent again", async () => {
  const environment = setup([
    (partitions) => partitions.filter((partition) => partition !== 1).map((partition) => environment.base(partition)),
  ]);
  const sent = environment.producer.send([record(0, "a"), record(1, "b"), record(1, "c"), record(2, "d")]);
  await environment.time.advance(50);
  const answers = await sent;
  expect(answers.map(({ partition, offset }) => [partition, offset])).toEqual([
    [0, 100n],
    [1, 300n],
    [1, 301n],
    [2, 200n],
  ]);
  const [sender] = environment.senders;
  expect(sender?.sent).toHaveLength(2);
  expect(sender?.sent[1]?.topicMessages.flatMap(({ messages }) => messages.map(({ value }) => String(value)))).toEqual(["b", "c"]);
});

test("B: a partition that never appears in the answer ends as an unknown outcome", async () => {
  const none: Answer = () => [];
  const { time, producer, senders } = setup([none, none, none, none, none, none, none]);
  const settled = Promise.allSettled([producer.send([record(0, "a")])]);
  await time.advance(500);
  expect(await settled).toMatchObject([{ reason: { code: "messaging.unknown-outcome", isRetryable: true } }]);
  expect(senders[0]?.sent).toHaveLength(6);
});

test("B: records that were appended twice get the first of their places", async () => {
  const twice: Answer = () => [
    { topicName: "t", partition: 0, errorCode: 0, baseOffset: "70", logAppendTime: "5" },
    { topicName: "t", partition: 0, errorCode: 0, baseOffset: "50", logAppendTime: "4" },
  ];
  const { time, producer } = setup([twice]);
  const sent = producer.send([record(0, "a"), record(0, "b")]);
  await time.advance(50);
  expect((await sent).map(({ offset }) => offset)).toEqual([50n, 51n]);
});

test("A: after an error the sender is discarded with all waiting sends, and the next send gets a fresh one", async () => {
  const { time, producer, senders } = setup([() => new Error("leader lost")]);
  const first = producer.send([record(0, "a")]);
  await time.advance(4);
  const settled = Promise.allSettled([first, producer.send([record(0, "b")]), producer.send([record(1, "c")])]);
  await time.advance(50);
  for (const result of await settled) expect(result).toMatchObject({ reason: { code: "messaging.unknown-outcome" } });
  expect(senders.map(({ isDiscarded }) => isDiscarded)).toEqual([true]);
  const later = producer.send([record(0, "d")]);
  await time.advance(50);
  expect(await later).toHaveLength(1);
  expect(senders.map(({ sent }) => sent.length)).toEqual([1, 1]);
});

test("A: sendBatch never runs twice at once, however many sends are called", async () => {
  const { time, producer, senders } = setup([]);
  const sends = Array.from({ length: 50 }, (_, index) => producer.send([record(index % 3, `${index}`)]));
  await time.advance(3);
  expect(senders[0]?.sent).toHaveLength(1);
  await time.advance(500);
  await Promise.all(sends);
});

test("an answer without an append time does not acknowledge, because the topic would not use append times", async () => {
  const bare: Answer = () => [{ topicName: "t", partition: 0, errorCode: 0, baseOffset: "1", logAppendTime: "-1" }];
  const { time, producer } = setup([bare]);
  const settled = Promise.allSettled([producer.send([record(0, "a")])]);
  await time.advance(50);
  expect(await settled).toMatchObject([{ reason: { code: "messaging.unknown-outcome" } }]);
});
