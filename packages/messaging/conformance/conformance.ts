// The conformance suite of the messaging port, run on the memory adapter and on the Kafka adapter. Numbers in titles
// are the promises of `port.ts`.

import { describe, expect, test } from "vitest";
import {
  numberedTexts,
  openConformanceEnvironment,
  buildTextRecord,
  readText,
  type ConformanceEnvironment,
  type BrokerUnderTest,
} from "./conformance.fixture.ts";
import { describeConsumers } from "./conformance-consumers.ts";
import { describePartitionConsumers } from "./conformance-partitions.ts";

export function describeMessaging(open: () => Promise<BrokerUnderTest>): void {
  describe("messaging", () => {
    const environment = openConformanceEnvironment(open);
    describeProducing(environment);
    describeConsumers(environment);
    describePartitionConsumers(environment);
  });
}

function describeProducing(environment: ConformanceEnvironment): void {
  test("a topic's number of partitions is answered; one that does not exist has none", async () => {
    for (const count of [1, 12, 120]) {
      const topic = await environment.subject.createTopic(count);
      expect(await environment.client().partitionCount(topic)).toBe(count);
    }
    expect(await environment.client().partitionCount("sluice.no-such-topic")).toBeNull();
  });

  test("a topic has one identity for all clients, and another topic of the cluster has another", async () => {
    const [topic, other] = [await environment.subject.createTopic(2), await environment.subject.createTopic(2)];
    const identity = await environment.client().identity(topic);
    expect(await environment.client().identity(topic)).toEqual(identity);
    const second = await environment.client().identity(other);
    expect([second.clusterId === identity.clusterId, second.topicId === identity.topicId]).toEqual([true, false]);
    await expect(environment.client().identity("sluice.no-such-topic")).rejects.toMatchObject({ code: "messaging.unknown-topic" });
  });

  describe("producer", () => {
    test("#1: a send answers with partition, offset and append time of each record, in the order given", async () => {
      const topic = await environment.subject.createTopic(3);
      const producer = await environment.client().producer("p");
      const beforeMs = Date.now();
      const answers = await producer.send([2, 0, 2, 1, 0].map((partition, index) => buildTextRecord(topic, partition, `r${index}`)));
      expect(answers.map(({ partition, offset }) => [partition, offset])).toEqual([
        [2, 0n],
        [0, 0n],
        [2, 1n],
        [1, 0n],
        [0, 1n],
      ]);
      for (const { appendedAtMs } of answers) expect(Math.abs(appendedAtMs - beforeMs)).toBeLessThan(60_000);
      const records = await environment.readAll(topic, 2);
      expect(records.map((record) => [record.offset, readText(record), record.appendedAtMs])).toEqual([
        [0n, "r0", answers[0]?.appendedAtMs],
        [1n, "r2", answers[2]?.appendedAtMs],
      ]);
    });

    test("bytes, absent keys and values, and headers are read back unchanged", async () => {
      const topic = await environment.subject.createTopic(1);
      const producer = await environment.client().producer("p");
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
      const place = { topic, partition: 0 };
      await producer.send([
        { ...place, key: bytes, value: null, headers: { "sluice-type": "Zahlung ✓" } },
        { ...place, key: null, value: bytes, headers: {} },
        { ...place, key: null, value: new Uint8Array(), headers: { a: "", b: "2" } },
      ]);
      const [first, second, third] = await environment.readAll(topic, 0);
      expect(Uint8Array.from(first?.key ?? [])).toEqual(bytes);
      expect(first?.value).toBe(null);
      expect(first?.headers).toEqual({ "sluice-type": "Zahlung ✓" });
      expect(second?.key).toBe(null);
      expect(Uint8Array.from(second?.value ?? [])).toEqual(bytes);
      expect(third?.value?.length).toBe(0);
      expect(third?.headers).toEqual({ a: "", b: "2" });
    });

    test("#1: two sends of one producer are appended in call order, even its first ones", async () => {
      const topic = await environment.subject.createTopic(2);
      const producer = await environment.client().producer("p");
      const sends = numberedTexts(300).map((text, index) =>
        producer.send([buildTextRecord(topic, index % 2, text), buildTextRecord(topic, 0, `${text}+`)]),
      );
      const answers = (await Promise.all(sends)).flat();
      for (const partition of [0, 1]) {
        const offsets = answers.filter((answer) => answer.partition === partition).map(({ offset }) => offset);
        expect(offsets).toEqual(offsets.map((_, index) => BigInt(index)));
      }
    });

    test("#1: append times of a partition never go back", async () => {
      const topic = await environment.subject.createTopic(1);
      const producer = await environment.client().producer("p");
      for (let round = 0; round < 10; round += 1) await producer.send([buildTextRecord(topic, 0, "x")]);
      const times = (await environment.readAll(topic, 0)).map(({ appendedAtMs }) => appendedAtMs);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    });

    test("#7: an unknown topic or partition is refused, and concurrent sends are not affected", async () => {
      const topic = await environment.subject.createTopic(1);
      const producer = await environment.client().producer("p");
      const sent = [
        buildTextRecord(topic, 0, "a"),
        buildTextRecord(`${topic}-absent`, 0, "b"),
        buildTextRecord(topic, 1, "c"),
        buildTextRecord(topic, 0, "d"),
      ];
      const outcomes = await Promise.allSettled(sent.map((record) => producer.send([record])));
      const refusal = { status: "rejected", reason: { code: "messaging.refused", isRetryable: false } };
      expect(outcomes).toMatchObject([{ value: [{ offset: 0n }] }, refusal, refusal, { value: [{ offset: 1n }] }]);
    });

    test("a record too large, an empty send and 10,001 records are refused; 10,000 records and 900 KiB are accepted", async () => {
      const topic = await environment.subject.createTopic(2);
      const producer = await environment.client().producer("p");
      const place = { topic, partition: 0, key: null, headers: {} };
      const refusal = { code: "messaging.refused", isRetryable: false };
      await expect(producer.send([{ ...place, value: new Uint8Array(1_100_000) }])).rejects.toMatchObject(refusal);
      await expect(producer.send([])).rejects.toMatchObject(refusal);
      await expect(producer.send(numberedTexts(10_001).map((text) => buildTextRecord(topic, 0, text)))).rejects.toMatchObject(refusal);
      const large = await producer.send([{ ...place, value: Buffer.alloc(900 * 1024, "x") }]);
      expect(large[0]?.offset).toBe(0n);
      const many = await producer.send(numberedTexts(10_000).map((text) => buildTextRecord(topic, 1, text)));
      expect(many.at(-1)?.offset).toBe(9_999n);
    });

    test("close waits for earlier sends; afterwards sends and calls are refused", async () => {
      const topic = await environment.subject.createTopic(1);
      const messaging = environment.client();
      const producer = await messaging.producer("p");
      const sent = producer.send([buildTextRecord(topic, 0, "a")]);
      await producer.close();
      expect((await sent)[0]?.offset).toBe(0n);
      await expect(producer.send([buildTextRecord(topic, 0, "b")])).rejects.toMatchObject({ code: "messaging.closed" });
      await messaging.close();
      await expect(messaging.producer("q")).rejects.toMatchObject({ code: "messaging.closed" });
    });
  });

  describe("ends and read", () => {
    test("ends answers both ends of each partition, in the order asked", async () => {
      const topic = await environment.subject.createTopic(3);
      await environment.append(topic, 1, numberedTexts(5));
      const messaging = environment.client();
      const places = [2, 1, 0].map((partition) => ({ topic, partition }));
      expect(await messaging.ends(places)).toEqual([
        { logStart: 0n, logEnd: 0n },
        { logStart: 0n, logEnd: 5n },
        { logStart: 0n, logEnd: 0n },
      ]);
      await expect(messaging.ends([{ topic, partition: 3 }])).rejects.toMatchObject({ code: "messaging.unknown-topic" });
      await expect(messaging.ends([{ topic: `${topic}-absent`, partition: 0 }])).rejects.toMatchObject({
        code: "messaging.unknown-topic",
      });
    });

    test("read answers the range asked for, stops at the partition's end, and may start inside a batch", async () => {
      const topic = await environment.subject.createTopic(1);
      await environment.append(topic, 0, numberedTexts(1200));
      const messaging = environment.client();
      const place = { topic, partition: 0 };
      const range = await Array.fromAsync(messaging.read(place, 3n, 1003n));
      expect(range.map(readText)).toEqual(numberedTexts(1003).slice(3));
      const rest = await Array.fromAsync(messaging.read(place, 1195n, 99_999n));
      expect(rest.map(({ offset }) => offset)).toEqual([1195n, 1196n, 1197n, 1198n, 1199n]);
      expect(await Array.fromAsync(messaging.read(place, 1200n, 1300n))).toEqual([]);
    });

    test("#8: a read ends with a Fault at a batch that cannot be read, and may begin behind it", async () => {
      const topic = await environment.subject.createTopic(1);
      const place = { topic, partition: 0 };
      await environment.append(topic, 0, ["a"]);
      await environment.subject.appendUnreadable(place, ["x", "y"]);
      await environment.append(topic, 0, ["b"]);
      const messaging = environment.client();
      const read: string[] = [];
      const reading = (async () => {
        for await (const record of messaging.read(place, 0n, 10n)) read.push(readText(record));
      })();
      const batch = { ...place, firstOffset: 1n, lastOffset: 2n, reason: "compression" };
      await expect(reading).rejects.toMatchObject({ code: "messaging.unreadable-batch", isRetryable: true, batch });
      expect(read).toEqual(["a"]);
      expect((await Array.fromAsync(messaging.read(place, 0n, 1n))).map(readText)).toEqual(["a"]);
      await expect(Array.fromAsync(messaging.read(place, 2n, 3n))).rejects.toMatchObject({ batch });
      expect((await Array.fromAsync(messaging.read(place, 3n, 10n))).map(readText)).toEqual(["b"]);
    });

    test("#6: a read from before the partition's start is refused, not started later", async () => {
      const topic = await environment.subject.createTopic(1);
      await environment.append(topic, 0, numberedTexts(10));
      await environment.subject.truncate({ topic, partition: 0 }, 4n);
      const messaging = environment.client();
      await expect(Array.fromAsync(messaging.read({ topic, partition: 0 }, 0n, 10n))).rejects.toMatchObject({
        code: "messaging.outside-log",
      });
      expect(await messaging.ends([{ topic, partition: 0 }])).toEqual([{ logStart: 4n, logEnd: 10n }]);
    });
  });
}
