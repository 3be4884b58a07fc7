// What every adapter of the port must do: run by `memory.test.ts` and `kafka.int.test.ts`. Numbers are the promises of `port.ts`.

import { setTimeout as delay } from "node:timers/promises";
import { Fault, machineRandom, machineTime } from "@sluice/runtime";
import { silentLog } from "@sluice/telemetry";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createBatchLanes } from "./batch-lanes.ts";
import { createKeyedLanes } from "./keyed-lanes.ts";
import type { AssignedLog, Consumer, Messaging, OutgoingRecord, ReceivedRecord, TopicPartition } from "./port.ts";

/** A log under test. */
export interface Subject {
  /** A client of its own, as another process would have. */
  client(): Messaging;
  /** Answers the name of a fresh topic. */
  createTopic(partitions: number): Promise<string>;
  truncate(partition: TopicPartition, before: bigint): Promise<void>;
  /** An idle consumer's heartbeat is never older. */
  readonly heartbeatAgeMaxMs: number;
  close(): Promise<void>;
}

const waitMs = 20_000;

/** Waits for a condition; never longer than `waitMs`. */
export async function eventually(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + waitMs;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`waited ${waitMs} ms in vain: ${what}`);
    await delay(5);
  }
}

export function outgoing(topic: string, partition: number, text: string, key: string | null = null): OutgoingRecord {
  return { topic, partition, key: key === null ? null : Buffer.from(key), value: Buffer.from(text), headers: {} };
}

export const textOf = (record: ReceivedRecord): string => Buffer.from(record.value ?? []).toString("utf8");

/** A consumer that writes down what it is told, and what of it broke a promise. Its log has no holes. */
export async function recorder(
  messaging: Messaging,
  group: string,
  topic: string,
  startAt: (partition: number, log: AssignedLog) => bigint | Promise<bigint> = (_partition, log) => log.logStart,
) {
  const seen = {
    assigned: [] as { partition: number; epoch: number; log: AssignedLog }[],
    revoked: [] as { partition: number; epoch: number }[],
    records: [] as { epoch: number; record: ReceivedRecord }[],
    failed: [] as Error[],
    held: new Map<number, number>(),
    broken: [] as string[],
  };
  const next = new Map<number, bigint>();
  let consumer: Consumer | null = null;
  const note = (what: string, isRight: boolean): void => void (isRight || seen.broken.push(what));
  consumer = await messaging.consumer({
    group,
    topics: [topic],
    handlers: {
      assigned: async ({ partition }, epoch, log) => {
        note("a handler before consumer() resolved", consumer !== null);
        note("assigned while held", !seen.held.has(partition));
        seen.held.set(partition, epoch);
        seen.assigned.push({ partition, epoch, log });
        next.delete(partition);
        const answer = await startAt(partition, log);
        if (seen.held.get(partition) === epoch) next.set(partition, answer);
        return answer;
      },
      revoked: ({ partition }, epoch) => {
        note("revoked what was not held", seen.held.get(partition) === epoch);
        seen.held.delete(partition);
        seen.revoked.push({ partition, epoch });
      },
      records: ({ partition }, epoch, records) => {
        note("records of an epoch that is over", seen.held.get(partition) === epoch);
        note("no records at all", records.length > 0);
        for (const record of records) {
          note(`${partition}@${record.offset} is not the next one of epoch ${epoch}`, next.get(partition) === record.offset);
          next.set(partition, record.offset + 1n);
          seen.records.push({ epoch, record });
        }
      },
      failed: (reason) => void seen.failed.push(reason),
    },
  });
  const texts = (partition?: number): string[] =>
    seen.records.filter(({ record }) => partition === undefined || record.partition === partition).map(({ record }) => textOf(record));
  return { consumer, seen, texts };
}

export function describeMessaging(open: () => Promise<Subject>): void {
  describe("messaging", () => {
    let subject: Subject;
    let clients: Messaging[];
    let group = "";
    let groups = 0;

    beforeEach(async () => {
      subject = await open();
      clients = [];
      groups += 1;
      group = `conformance-${process.pid}-${Date.now()}-${groups}`;
    });
    afterEach(async () => {
      for (const client of clients) await client.close();
      await subject.close();
    });

    function client(): Messaging {
      const made = subject.client();
      clients.push(made);
      return made;
    }

    async function append(topic: string, partition: number, texts: readonly string[]): Promise<void> {
      const producer = await client().producer("appender");
      for (let from = 0; from < texts.length; from += 5000) {
        await producer.send(texts.slice(from, from + 5000).map((text) => outgoing(topic, partition, text)));
      }
      await producer.close();
    }

    async function readAll(topic: string, partition: number): Promise<ReceivedRecord[]> {
      return await Array.fromAsync(client().read({ topic, partition }, 0n, 1_000_000n));
    }

    const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `r${index}`);

    describe("producer", () => {
      test("1: a send answers with partition, offset and append time of each record, in the order given", async () => {
        const topic = await subject.createTopic(3);
        const producer = await client().producer("p");
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
        const records = await readAll(topic, 2);
        expect(records.map((record) => [record.offset, textOf(record), record.appendedAtMs])).toEqual([
          [0n, "r0", answers[0]?.appendedAtMs],
          [1n, "r2", answers[2]?.appendedAtMs],
        ]);
      });

      test("bytes, absent keys and values, and headers come back as they went", async () => {
        const topic = await subject.createTopic(1);
        const producer = await client().producer("p");
        const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
        const place = { topic, partition: 0 };
        await producer.send([
          { ...place, key: bytes, value: null, headers: { "sluice-type": "Zahlung ✓" } },
          { ...place, key: null, value: bytes, headers: {} },
          { ...place, key: null, value: new Uint8Array(), headers: { a: "", b: "2" } },
        ]);
        const [first, second, third] = await readAll(topic, 0);
        expect(Uint8Array.from(first?.key ?? [])).toEqual(bytes);
        expect(first?.value).toBe(null);
        expect(first?.headers).toEqual({ "sluice-type": "Zahlung ✓" });
        expect(second?.key).toBe(null);
        expect(Uint8Array.from(second?.value ?? [])).toEqual(bytes);
        expect(third?.value?.length).toBe(0);
        expect(third?.headers).toEqual({ a: "", b: "2" });
      });

      test("1: two sends of one producer are appended in call order, also the very first ones", async () => {
        const topic = await subject.createTopic(2);
        const producer = await client().producer("p");
        const sends = numbered(300).map((text, index) => producer.send([outgoing(topic, index % 2, text), outgoing(topic, 0, `${text}+`)]));
        const answers = (await Promise.all(sends)).flat();
        for (const partition of [0, 1]) {
          const offsets = answers.filter((answer) => answer.partition === partition).map(({ offset }) => offset);
          expect(offsets).toEqual(offsets.map((_, index) => BigInt(index)));
        }
      });

      test("1: append times of a partition never go back", async () => {
        const topic = await subject.createTopic(1);
        const producer = await client().producer("p");
        for (let round = 0; round < 10; round += 1) await producer.send([outgoing(topic, 0, "x")]);
        const times = (await readAll(topic, 0)).map(({ appendedAtMs }) => appendedAtMs);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      });

      test("7: an unknown topic or partition is refused, and the sends beside it are not harmed", async () => {
        const topic = await subject.createTopic(1);
        const producer = await client().producer("p");
        const sent = [outgoing(topic, 0, "a"), outgoing(`${topic}-absent`, 0, "b"), outgoing(topic, 1, "c"), outgoing(topic, 0, "d")];
        const outcomes = await Promise.allSettled(sent.map((record) => producer.send([record])));
        const refusal = { status: "rejected", reason: { code: "messaging.refused", isRetryable: false } };
        expect(outcomes).toMatchObject([{ value: [{ offset: 0n }] }, refusal, refusal, { value: [{ offset: 1n }] }]);
      });

      test("a record too large, an empty send and one too many records are refused; 10,000 records and 900 KiB are not", async () => {
        const topic = await subject.createTopic(2);
        const producer = await client().producer("p");
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
        const topic = await subject.createTopic(1);
        const messaging = client();
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
        const topic = await subject.createTopic(3);
        await append(topic, 1, numbered(5));
        const messaging = client();
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
        const topic = await subject.createTopic(1);
        await append(topic, 0, numbered(1200));
        const messaging = client();
        const place = { topic, partition: 0 };
        const stretch = await Array.fromAsync(messaging.read(place, 3n, 1003n));
        expect(stretch.map(textOf)).toEqual(numbered(1003).slice(3));
        const rest = await Array.fromAsync(messaging.read(place, 1195n, 99_999n));
        expect(rest.map(({ offset }) => offset)).toEqual([1195n, 1196n, 1197n, 1198n, 1199n]);
        expect(await Array.fromAsync(messaging.read(place, 1200n, 1300n))).toEqual([]);
      });

      test("6: a reading from before the log's start is refused, not begun later", async () => {
        const topic = await subject.createTopic(1);
        await append(topic, 0, numbered(10));
        await subject.truncate({ topic, partition: 0 }, 4n);
        const messaging = client();
        await expect(Array.fromAsync(messaging.read({ topic, partition: 0 }, 0n, 10n))).rejects.toMatchObject({
          code: "messaging.outside-log",
        });
        expect(await messaging.ends([{ topic, partition: 0 }])).toEqual([{ logStart: 4n, logEnd: 10n }]);
      });
    });

    describe("consumer", () => {
      test("2: it is told both ends and the commit, starts at the answer, and hands over each record once, in order", async () => {
        const topic = await subject.createTopic(1);
        await append(topic, 0, numbered(5000));
        const { consumer, seen, texts } = await recorder(client(), group, topic, () => 7n);
        await eventually("all records", () => seen.records.length >= 4993);
        await append(topic, 0, ["last"]);
        await eventually("the record appended later", () => texts().includes("last"));
        expect(seen.assigned).toMatchObject([{ partition: 0, log: { logStart: 0n, logEnd: 5000n, committed: null } }]);
        expect(texts()).toEqual([...numbered(5000).slice(7), "last"]);
        expect(seen.broken).toEqual([]);
        await consumer.stop();
      });

      test("2: nothing of a partition is handed over before its assignment is answered; others do not wait for it", async () => {
        const topic = await subject.createTopic(2);
        await append(topic, 0, numbered(3));
        await append(topic, 1, numbered(3));
        const { promise: answer, resolve: give } = Promise.withResolvers<bigint>();
        const { consumer, seen, texts } = await recorder(client(), group, topic, (partition) => (partition === 0 ? answer : 0n));
        await eventually("the other partition's records", () => texts(1).length === 3);
        expect(texts(0)).toEqual([]);
        give(1n);
        await eventually("the rest", () => texts(0).length === 2);
        expect(texts(0)).toEqual(["r1", "r2"]);
        expect(seen.broken).toEqual([]);
        await consumer.stop();
      });

      test("pause holds a partition back, resume lets it go on soon where it was, pauseAll holds back everything", async () => {
        const topic = await subject.createTopic(2);
        const { consumer, seen, texts } = await recorder(client(), group, topic);
        await append(topic, 0, ["a"]);
        await eventually("the first record", () => texts(0).length === 1);
        consumer.pause({ topic, partition: 0 });
        await append(topic, 0, ["b"]);
        await append(topic, 1, ["c"]);
        await eventually("the other partition", () => texts(1).length === 1);
        expect(texts(0)).toEqual(["a"]);
        consumer.resume({ topic, partition: 0 });
        await eventually("the paused record", () => texts(0).length === 2);
        expect(texts(0)).toEqual(["a", "b"]);
        consumer.pauseAll();
        await append(topic, 0, ["d"]);
        await consumer.commit({ topic, partition: 0 }, 2n, seen.held.get(0) ?? 0);
        await consumer.stop();
        expect(texts().toSorted()).toEqual(["a", "b", "c"]);
        const next = await recorder(client(), group, topic, (_partition, log) => log.committed ?? 0n);
        await eventually("the next owner", () => next.texts(0).length === 1);
        expect(next.texts(0)).toEqual(["d"]);
        expect([...seen.broken, ...next.seen.broken]).toEqual([]);
      });

      test("3, 4: a second member makes everything be revoked and assigned anew, under higher epochs; its leaving again", async () => {
        const topic = await subject.createTopic(4);
        const first = await recorder(client(), group, topic, (_partition, log) => log.committed ?? 0n);
        await eventually("the first assignment", () => first.seen.held.size === 4);
        const epochs = new Map(first.seen.held);
        const second = await recorder(client(), group, topic, (_partition, log) => log.committed ?? 0n);
        await eventually("a fair share each", () => first.seen.held.size === 2 && second.seen.held.size === 2);
        expect(first.seen.revoked.filter(({ epoch }) => epoch === epochs.get(0))).toHaveLength(4);
        for (const [partition, epoch] of first.seen.held) expect(epoch).toBeGreaterThan(epochs.get(partition) ?? 0);
        const shared = [...first.seen.held.keys(), ...second.seen.held.keys()].toSorted((a, b) => a - b);
        expect(shared).toEqual([0, 1, 2, 3]);
        const [theirs] = second.seen.held.keys();
        // 3: a commit of an epoch that is over, and of another's partition, is dropped.
        await first.consumer.commit({ topic, partition: theirs ?? 0 }, 3n, epochs.get(theirs ?? 0) ?? 0);
        await second.consumer.stop();
        expect(second.seen.held.size).toBe(0);
        await eventually("all back", () => first.seen.held.size === 4);
        const again = first.seen.assigned.findLast(({ partition }) => partition === theirs);
        expect(again?.log.committed).toBe(null);
        for (let partition = 0; partition < 4; partition += 1) {
          const all = first.seen.assigned.filter((assigned) => assigned.partition === partition).map(({ epoch }) => epoch);
          expect(new Set(all).size).toBe(all.length);
          expect(all).toEqual(all.toSorted((a, b) => a - b));
        }
        expect([...first.seen.broken, ...second.seen.broken]).toEqual([]);
        await first.consumer.stop();
      });

      test("every record is handed over to someone while members come and go", async () => {
        const topic = await subject.createTopic(3);
        const done = new Map<number, bigint>();
        const startAt = (partition: number): bigint => done.get(partition) ?? 0n;
        const first = await recorder(client(), group, topic, startAt);
        await eventually("the first assignment", () => first.seen.held.size === 3);
        for (const partition of [0, 1, 2]) await append(topic, partition, numbered(400));
        const second = await recorder(client(), group, topic, startAt);
        await eventually("a share for the second", () => second.seen.held.size > 0);
        for (const partition of [0, 1, 2]) await append(topic, partition, numbered(400));
        await first.consumer.stop();
        const all = (): Set<string> =>
          new Set([...first.seen.records, ...second.seen.records].map(({ record }) => `${record.partition}@${record.offset}`));
        await eventually("all of them", () => all().size === 2400);
        expect([...first.seen.broken, ...second.seen.broken]).toEqual([]);
        await second.consumer.stop();
      });

      test("a commit is what the next assignment is told, and is not where records begin", async () => {
        const topic = await subject.createTopic(1);
        await append(topic, 0, numbered(10));
        const first = await recorder(client(), group, topic);
        await eventually("all records", () => first.texts().length === 10);
        await first.consumer.commit({ topic, partition: 0 }, 6n, first.seen.held.get(0) ?? 0);
        await first.consumer.stop();
        const second = await recorder(client(), group, topic, () => 2n);
        await eventually("its records", () => second.texts().length === 8);
        expect(second.seen.assigned[0]?.log.committed).toBe(6n);
        const places = [{ topic, partition: 0 }];
        expect([await client().committedOf(group, places), await client().committedOf(`${group}-other`, places)]).toEqual([[6n], [null]]);
        expect(second.texts()).toEqual(numbered(10).slice(2));
        await second.consumer.stop();
      });

      test.for([
        ["below the start", 3n],
        ["beyond the end", 11n],
      ] as const)("6: an answer %s of the log ends the consumer", async ([_where, startAt]) => {
        const topic = await subject.createTopic(1);
        await append(topic, 0, numbered(10));
        await subject.truncate({ topic, partition: 0 }, 4n);
        const { consumer, seen } = await recorder(client(), group, topic, () => startAt);
        await eventually("the failure", () => seen.failed.length > 0);
        expect(seen.failed).toHaveLength(1);
        expect(seen.failed[0]).toMatchObject({ code: "messaging.outside-log", isRetryable: false });
        expect(seen.records).toEqual([]);
        await consumer.stop();
      });

      test("a rejected answer ends the consumer", async () => {
        const topic = await subject.createTopic(1);
        const { consumer, seen } = await recorder(client(), group, topic, async () => Promise.reject(new Error("no")));
        await eventually("the failure", () => seen.failed.length > 0);
        expect(seen.failed.map(({ message }) => message)).toEqual(["no"]);
        await consumer.stop();
      });

      test("7: a consumer of a topic that does not exist is refused", async () => {
        const messaging = client();
        await expect(recorder(messaging, group, `${group}-absent`)).rejects.toMatchObject({ code: "messaging.unknown-topic" });
      });

      test("the heartbeat's age is Infinity before the first answer and stays young while the consumer idles", async () => {
        const topic = await subject.createTopic(1);
        const { consumer, seen } = await recorder(client(), group, topic);
        expect(consumer.heartbeatAgeMs()).toBe(Number.POSITIVE_INFINITY);
        await eventually("the assignment", () => seen.held.size === 1);
        let oldestMs = 0;
        const endMs = performance.now() + 2 * subject.heartbeatAgeMaxMs;
        await eventually("an idle while", () => {
          oldestMs = Math.max(oldestMs, consumer.heartbeatAgeMs());
          return performance.now() > endMs;
        });
        expect(oldestMs).toBeLessThan(subject.heartbeatAgeMaxMs);
        expect(seen.assigned).toHaveLength(1);
        await consumer.stop();
      });
    });

    describe("lanes", () => {
      const shared = { bufferedRecordsMax: 500, time: machineTime, random: machineRandom, log: silentLog };

      test("batch lanes handle every record once in order, and go on at their own position after a restart", async () => {
        const topic = await subject.createTopic(2);
        for (const partition of [0, 1]) await append(topic, partition, numbered(3000));
        const seen: [bigint[], bigint[]] = [[], []];
        const failures: Error[] = [];
        const start = async () =>
          await createBatchLanes({
            ...shared,
            messaging: client(),
            group,
            topic,
            batchRecordsMax: 100,
            failed: (reason) => void failures.push(reason),
            open: async (partition) => ({
              startAt: BigInt(seen[partition === 0 ? 0 : 1].length),
              close: async () => {},
              handle: async (records) => {
                if (machineRandom.fraction() < 0.05) throw new Fault("test.busy", "busy", { isRetryable: true });
                seen[partition === 0 ? 0 : 1].push(...records.map(({ offset }) => offset));
              },
            }),
          });
        const before = await start();
        await eventually("some work", () => seen[0].length > 500 && seen[1].length > 0);
        await before.stop();
        const after = await start();
        await eventually("all of it", () => seen[0].length >= 3000 && seen[1].length >= 3000);
        expect(seen[0]).toEqual(Array.from({ length: 3000 }, (_, index) => BigInt(index)));
        expect(seen[1]).toEqual(seen[0]);
        await eventually("readiness", () => after.readiness().isReady);
        await after.stop();
        expect(failures).toEqual([]);
      });

      test("keyed lanes keep the order of each key across members that come and go, and commit all in the end", async () => {
        const topic = await subject.createTopic(2);
        const producer = await client().producer("p");
        const keys = ["a", "b", "c", "d", "e"];
        const texts = Array.from({ length: 1000 }, (_, index) => outgoing(topic, index % 2, `${index}`, keys[index % 5] ?? ""));
        await producer.send(texts);
        const positions = new Map<number, bigint>();
        const firsts: string[] = [];
        const done = new Set<string>();
        const start = async () =>
          await createKeyedLanes({
            ...shared,
            messaging: client(),
            group,
            topic,
            runningMax: 8,
            failed: (reason) => void firsts.push(`failed: ${reason.message}`),
            startAt: async (partition) => positions.get(partition) ?? 0n,
            keyOf: (record) => Buffer.from(record.key ?? []).toString(),
            handle: async (record, lane) => {
              await delay(1);
              if (!lane.isCurrent()) return;
              const place = `${record.partition}/${Buffer.from(record.key ?? []).toString()}@${record.offset}`;
              if (!done.has(place)) firsts.push(place);
              done.add(place);
            },
            position: async (partition, _epoch, nextOffset) => void positions.set(partition, nextOffset),
          });
        const one = await start();
        await eventually("some work", () => done.size > 100);
        const two = await start();
        await eventually("more work", () => done.size > 300);
        await one.stop();
        await eventually("all of it", () => done.size === 1000 && positions.get(0) === 500n && positions.get(1) === 500n);
        await two.stop();
        const byKey = Map.groupBy(firsts, (place) => place.slice(0, place.indexOf("@")));
        for (const places of byKey.values()) {
          const offsets = places.map((place) => Number(place.slice(place.indexOf("@") + 1)));
          expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
        }
        const next = await recorder(client(), group, topic, (_partition, log) => log.logEnd);
        await eventually("the commits", () => next.seen.assigned.length === 2);
        expect(next.seen.assigned.map(({ log }) => log.committed)).toEqual([500n, 500n]);
        await next.consumer.stop();
      });
    });
  });
}
