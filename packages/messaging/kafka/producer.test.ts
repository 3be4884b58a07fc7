import { silentLogger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import kafkajs, { type Kafka, type RecordMetadata } from "kafkajs";
import { expect, test } from "vitest";
import type { BatchSender, OutgoingBatch } from "./leader-queue.ts";
import { KafkaProducer, type KafkaProducerOptions } from "./producer.ts";
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

type Answer = (partitions: readonly number[]) => RecordMetadata[] | Error | Promise<RecordMetadata[]>;

function setup(answers: Answer[], metrics: KafkaProducerOptions["metrics"] = silentMetrics) {
  const time = createVirtualTime({ startAtMs: 0 });
  const kafka: Kafka = new kafkajs.Kafka({ brokers: ["127.0.0.1:1"], logLevel: kafkajs.logLevel.NOTHING });
  const leaders = [1, 1, 1];
  const partitions = () => leaders.map((leads, partitionId) => ({ ...leader, leader: leads, partitionId }));
  const sizes = new TopicSizes({ fetchTopicMetadata: async () => ({ topics: [{ name: "t", partitions: partitions() }] }) }, time);
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
        const answer = (await answers.shift()?.(distinct)) ?? distinct.map(base);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    };
  }
  const producer = new KafkaProducer({ kafka, sizes, name: "p", time, logger: silentLogger, metrics }, createSender);
  return { time, producer, senders, base, leaders };
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
  expect(new Set(senders.flatMap(({ sent }) => sent).map(({ acks }) => acks))).toEqual(new Set([allInSync]));
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

const never: Answer = () => new Promise(() => {});
const texts = (sent: readonly OutgoingBatch[]): readonly string[] =>
  sent.map(({ topicMessages }) => topicMessages.flatMap(({ messages }) => messages.map(({ value }) => String(value))).join(" "));

test("T, I14: a broker that hangs holds up what it leads, and nothing else", async () => {
  const { time, producer, senders, leaders } = setup([never]);
  leaders[2] = 2;
  let isSettled = false;
  void producer.send([record(0, "a")]).finally(() => (isSettled = true));
  await time.advance(20);
  const others = ["b", "c"].map((text) => producer.send([record(2, text)]));
  await time.advance(50);
  expect((await Promise.all(others)).flat().map(({ partition }) => partition)).toEqual([2, 2]);
  expect([isSettled, senders.length]).toEqual([false, 2]);
});

test("T, I14: a record of a partition without a leader is refused at once, the others of its send are appended", async () => {
  const { time, producer, senders, leaders } = setup([]);
  leaders[1] = -1;
  const [both, alone] = [producer.send([record(0, "a"), record(1, "b")]), producer.send([record(1, "c")])];
  const settled = Promise.allSettled([both, alone]);
  await time.advance(50);
  expect(await settled).toMatchObject([
    { reason: { code: "messaging.unknown-outcome", isRetryable: true, appended: [{ partition: 0, offset: 100n }, null] } },
    { reason: { code: "messaging.refused", isRetryable: true, message: "t/1 has no leader that takes records" } },
  ]);
  expect(texts(senders.flatMap(({ sent }) => sent))).toEqual(["a"]);
  leaders[1] = 1;
  await time.advance(1_000);
  await Promise.allSettled([producer.send([record(1, "d")])]);
  await time.advance(1);
  const later = producer.send([record(1, "e")]);
  await time.advance(50);
  expect(await later).toMatchObject([{ partition: 1 }]);
});

test("T: a partition that lost its leader during a send fails alone, and kafkajs's producer is discarded", async () => {
  const environment = setup(
    Array.from({ length: 7 }, (): Answer => (partitions) => partitions.filter((one) => one !== 1).map((one) => environment.base(one))),
  );
  const settled = Promise.allSettled([environment.producer.send([record(0, "a")]), environment.producer.send([record(1, "b")])]);
  await environment.time.advance(100);
  expect(await settled).toMatchObject([{ value: [{ offset: 100n }] }, { reason: { code: "messaging.unknown-outcome" } }]);
  expect(environment.senders[0]?.isDiscarded).toBe(true);
  // It is known to have none now.
  await expect(environment.producer.send([record(1, "c")])).rejects.toMatchObject({ code: "messaging.refused" });
});

const tooFewReplicas = 19;
const timedOut = 7;

test("V, I14: a partition that a live leader refuses fails alone, and is not sent again with the others [D10.76]", async () => {
  const refuse = (errorCode: number): Answer => {
    const none = { baseOffset: "-1", logAppendTime: "-1" };
    return (asked) => asked.map((one) => (one === 1 ? { ...none, topicName: "t", partition: 1, errorCode } : environment.base(one)));
  };
  const environment = setup([refuse(tooFewReplicas), refuse(timedOut)]);
  const { time, producer, senders } = environment;
  const refused = { code: "messaging.refused", isRetryable: true, message: "t/1 is refused by its leader: NOT_ENOUGH_REPLICAS" };
  const settled = Promise.allSettled([producer.send([record(0, "a"), record(1, "b"), record(2, "c")])]);
  await time.advance(50);
  expect(await settled).toMatchObject([
    { reason: { code: "messaging.unknown-outcome", cause: refused, appended: [{ offset: 100n }, null, { offset: 200n }] } },
  ]);
  expect([texts(senders[0]?.sent ?? []), senders[0]?.isDiscarded]).toEqual([["a b c"], true]);
  // Until the leaders were asked again, nothing is tried.
  await expect(producer.send([record(1, "e")])).rejects.toMatchObject({ code: "messaging.refused" });
  await time.advance(1_000);
  await Promise.allSettled([producer.send([record(1, "f")])]);
  await time.advance(1);
  const doubtful = Promise.allSettled([producer.send([record(1, "g"), record(2, "h")])]);
  await time.advance(50);
  expect(await doubtful).toMatchObject([{ reason: { code: "messaging.unknown-outcome", appended: [null, { partition: 2 }] } }]);
  expect(texts(senders[1]?.sent ?? [])).toEqual(["g h"]);
});

test("T, #1: a partition whose leader moves keeps its order: records follow those that still wait for the old leader", async () => {
  const landing = Promise.withResolvers<RecordMetadata[]>();
  const environment = setup([() => landing.promise]);
  const { time, producer, senders, leaders, base } = environment;
  const first = producer.send([record(0, "a")]);
  await time.advance(10);
  leaders[0] = 2;
  await time.advance(6_000);
  const second = producer.send([record(0, "b")]);
  await time.advance(20);
  const third = producer.send([record(0, "c")]);
  await time.advance(20);
  expect(senders.map(({ sent }) => texts(sent))).toEqual([["a"]]);
  landing.resolve([base(0)]);
  await time.advance(20);
  await Promise.all([first, second, third]);
  const fourth = producer.send([record(0, "d")]);
  await time.advance(20);
  await fourth;
  expect(senders.map(({ sent }) => texts(sent))).toEqual([["a", "b c"], ["d"]]);
});

test("T: a send to several brokers is refused as a whole for its size, and so is one without records", async () => {
  const { time, producer, senders, leaders } = setup([]);
  leaders[2] = 2;
  const refused = { code: "messaging.refused", isRetryable: false };
  const large = { ...record(2, ""), value: new Uint8Array(1_100_000) };
  await expect(producer.send([])).rejects.toMatchObject(refused);
  await expect(producer.send([record(0, "a"), large])).rejects.toMatchObject(refused);
  const many = Array.from({ length: 10_001 }, (_, index) => record(index % 3, "x"));
  await expect(producer.send(many)).rejects.toMatchObject(refused);
  await time.advance(50);
  expect(senders).toEqual([]);
});
