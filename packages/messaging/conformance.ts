// What every adapter of the port must do: run by `memory.test.ts` and `kafka-conformance.int.test.ts`. Numbers are the promises of `port.ts`.

import { describe, expect, test } from "vitest";
import { numbered, openGround, outgoing, textOf, type Ground, type Subject } from "./conformance-ground.ts";
import { describeConsumers } from "./conformance-of-consumers.ts";
import { describeLanes } from "./conformance-of-lanes.ts";

export function describeMessaging(open: () => Promise<Subject>): void {
  describe("messaging", () => {
    const ground = openGround(open);
    describeLog(ground);
    describeConsumers(ground);
    describeLanes(ground);
  });
}

function describeLog(ground: Ground): void {
  describe("producer", () => {
    test("1: a send answers with partition, offset and append time of each record, in the order given", async () => {
      const topic = await ground.subject.createTopic(3);
      const producer = await ground.client().producer("p");
      const beforeMs = Date.now();
      const answers = await producer.send([2, 0, 2, 1, 0].map((partition, index) => outgoing(topic, partition, `r${index}`)));
      expect(answers.map(({ partition, offset }) => [partition, offset])).toEqual([
        [2, 0n],
        [0, 0n],
        [2, 1n],
        [1, 0n],
        [0, 1n],
      ]);
      for (const { appendedAtMs } of answers) expect(Math.abs(appendedAtMs - beforeMs)).toBeLessThan(60_000);
      const records = await ground.readAll(topic, 2);
      expect(records.map((record) => [record.offset, textOf(record), record.appendedAtMs])).toEqual([
        [0n, "r0", answers[0]?.appendedAtMs],
        [1n, "r2", answers[2]?.appendedAtMs],
      ]);
    });

    test("bytes, absent keys and values, and headers come back as they went", async () => {
      const topic = await ground.subject.createTopic(1);
      const producer = await ground.client().producer("p");
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
      const place = { topic, partition: 0 };
      await producer.send([
        { ...place, key: bytes, value: null, headers: { "sluice-type": "Zahlung ✓" } },
        { ...place, key: null, value: bytes, headers: {} },
        { ...place, key: null, value: new Uint8Array(), headers: { a: "", b: "2" } },
      ]);
      const [first, second, third] = await ground.readAll(topic, 0);
      expect(Uint8Array.from(first?.key ?? [])).toEqual(bytes);
      expect(first?.value).toBe(null);
      expect(first?.headers).toEqual({ "sluice-type": "Zahlung ✓" });
      expect(second?.key).toBe(null);
      expect(Uint8Array.from(second?.value ?? [])).toEqual(bytes);
      expect(third?.value?.length).toBe(0);
      expect(third?.headers).toEqual({ a: "", b: "2" });
    });

    test("1: two sends of one producer are appended in call order, also the very first ones", async () => {
      const topic = await ground.subject.createTopic(2);
      const producer = await ground.client().producer("p");
      const sends = numbered(300).map((text, index) => producer.send([outgoing(topic, index % 2, text), outgoing(topic, 0, `${text}+`)]));
      const answers = (await Promise.all(sends)).flat();
      for (const partition of [0, 1]) {
        const offsets = answers.filter((answer) => answer.partition === partition).map(({ offset }) => offset);
        expect(offsets).toEqual(offsets.map((_, index) => BigInt(index)));
      }
    });

    test("1: append times of a partition never go back", async () => {
      const topic = await ground.subject.createTopic(1);
      const producer = await ground.client().producer("p");
      for (let round = 0; round < 10; round += 1) await producer.send([outgoing(topic, 0, "x")]);
      const times = (await ground.readAll(topic, 0)).map(({ appendedAtMs }) => appendedAtMs);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    });

    test("7: an unknown topic or partition is refused, and the sends beside it are not harmed", async () => {
      const topic = await ground.subject.createTopic(1);
      const producer = await ground.client().producer("p");
      const sent = [outgoing(topic, 0, "a"), outgoing(`${topic}-absent`, 0, "b"), outgoing(topic, 1, "c"), outgoing(topic, 0, "d")];
      const outcomes = await Promise.allSettled(sent.map((record) => producer.send([record])));
      const refusal = { status: "rejected", reason: { code: "messaging.refused", isRetryable: false } };
      expect(outcomes).toMatchObject([{ value: [{ offset: 0n }] }, refusal, refusal, { value: [{ offset: 1n }] }]);
    });

    test("a record too large, an empty send and one too many records are refused; 10,000 records and 900 KiB are not", async () => {
      const topic = await ground.subject.createTopic(2);
      const producer = await ground.client().producer("p");
      const place = { topic, partition: 0, key: null, headers: {} };
      const refusal = { code: "messaging.refused", isRetryable: false };
      await expect(producer.send([{ ...place, value: new Uint8Array(1_100_000) }])).rejects.toMatchObject(refusal);
      await expect(producer.send([])).rejects.toMatchObject(refusal);
      await expect(producer.send(numbered(10_001).map((text) => outgoing(topic, 0, text)))).rejects.toMatchObject(refusal);
      const large = await producer.send([{ ...place, value: Buffer.alloc(900 * 1024, "x") }]);
      expect(large[0]?.offset).toBe(0n);
      const many = await producer.send(numbered(10_000).map((text) => outgoing(topic, 1, text)));
      expect(many.at(-1)?.offset).toBe(9_999n);
    });

    test("close waits for what was sent; afterwards sends and calls are refused", async () => {
      const topic = await ground.subject.createTopic(1);
      const messaging = ground.client();
      const producer = await messaging.producer("p");
      const sent = producer.send([outgoing(topic, 0, "a")]);
      await producer.close();
      expect((await sent)[0]?.offset).toBe(0n);
      await expect(producer.send([outgoing(topic, 0, "b")])).rejects.toMatchObject({ code: "messaging.closed" });
      await messaging.close();
      await expect(messaging.producer("q")).rejects.toMatchObject({ code: "messaging.closed" });
    });
  });

  describe("ends and read", () => {
    test("ends are those of each partition, in the order asked", async () => {
      const topic = await ground.subject.createTopic(3);
      await ground.append(topic, 1, numbered(5));
      const messaging = ground.client();
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

    test("read gives the stretch asked for, ends at the log's end, and starts inside a batch", async () => {
      const topic = await ground.subject.createTopic(1);
      await ground.append(topic, 0, numbered(1200));
      const messaging = ground.client();
      const place = { topic, partition: 0 };
      const stretch = await Array.fromAsync(messaging.read(place, 3n, 1003n));
      expect(stretch.map(textOf)).toEqual(numbered(1003).slice(3));
      const rest = await Array.fromAsync(messaging.read(place, 1195n, 99_999n));
      expect(rest.map(({ offset }) => offset)).toEqual([1195n, 1196n, 1197n, 1198n, 1199n]);
      expect(await Array.fromAsync(messaging.read(place, 1200n, 1300n))).toEqual([]);
    });

    test("6: a reading from before the log's start is refused, not begun later", async () => {
      const topic = await ground.subject.createTopic(1);
      await ground.append(topic, 0, numbered(10));
      await ground.subject.truncate({ topic, partition: 0 }, 4n);
      const messaging = ground.client();
      await expect(Array.fromAsync(messaging.read({ topic, partition: 0 }, 0n, 10n))).rejects.toMatchObject({
        code: "messaging.outside-log",
      });
      expect(await messaging.ends([{ topic, partition: 0 }])).toEqual([{ logStart: 4n, logEnd: 10n }]);
    });
  });
}
