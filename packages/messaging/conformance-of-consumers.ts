// What every adapter does for a member of a group. Numbers are the promises of `port.ts`.

import { describe, expect, test } from "vitest";
import { eventually, numbered, recorder, type Ground } from "./conformance-ground.ts";

export function describeConsumers(ground: Ground): void {
  describe("consumer", () => {
    test("2: it is told both ends and the commit, starts at the answer, and hands over each record once, in order", async () => {
      const topic = await ground.subject.createTopic(1);
      await ground.append(topic, 0, numbered(5000));
      const { consumer, seen, texts } = await recorder(ground.client(), ground.group, topic, () => 7n);
      await eventually("all records", () => seen.records.length >= 4993);
      await ground.append(topic, 0, ["last"]);
      await eventually("the record appended later", () => texts().includes("last"));
      expect(seen.assigned).toMatchObject([{ partition: 0, log: { logStart: 0n, logEnd: 5000n, committed: null } }]);
      expect(texts()).toEqual([...numbered(5000).slice(7), "last"]);
      expect(seen.broken).toEqual([]);
      await consumer.stop();
    });

    test("2: nothing of a partition is handed over before its assignment is answered; others do not wait for it", async () => {
      const topic = await ground.subject.createTopic(2);
      await ground.append(topic, 0, numbered(3));
      await ground.append(topic, 1, numbered(3));
      const { promise: answer, resolve: give } = Promise.withResolvers<bigint>();
      const { consumer, seen, texts } = await recorder(ground.client(), ground.group, topic, (partition) =>
        partition === 0 ? answer : 0n,
      );
      await eventually("the other partition's records", () => texts(1).length === 3);
      expect(texts(0)).toEqual([]);
      give(1n);
      await eventually("the rest", () => texts(0).length === 2);
      expect(texts(0)).toEqual(["r1", "r2"]);
      expect(seen.broken).toEqual([]);
      await consumer.stop();
    });

    test("pause holds a partition back, resume lets it go on soon where it was, pauseAll holds back everything", async () => {
      const topic = await ground.subject.createTopic(2);
      const { consumer, seen, texts } = await recorder(ground.client(), ground.group, topic);
      await ground.append(topic, 0, ["a"]);
      await eventually("the first record", () => texts(0).length === 1);
      consumer.pause({ topic, partition: 0 });
      await ground.append(topic, 0, ["b"]);
      await ground.append(topic, 1, ["c"]);
      await eventually("the other partition", () => texts(1).length === 1);
      expect(texts(0)).toEqual(["a"]);
      consumer.resume({ topic, partition: 0 });
      await eventually("the paused record", () => texts(0).length === 2);
      expect(texts(0)).toEqual(["a", "b"]);
      consumer.pauseAll();
      await ground.append(topic, 0, ["d"]);
      await consumer.commit({ topic, partition: 0 }, 2n, seen.held.get(0) ?? 0);
      await consumer.stop();
      expect(texts().toSorted()).toEqual(["a", "b", "c"]);
      const next = await recorder(ground.client(), ground.group, topic, (_partition, log) => log.committed ?? 0n);
      await eventually("the next owner", () => next.texts(0).length === 1);
      expect(next.texts(0)).toEqual(["d"]);
      expect([...seen.broken, ...next.seen.broken]).toEqual([]);
    });

    test("3, 4: a second member makes everything be revoked and assigned anew, under higher epochs; its leaving again", async () => {
      const topic = await ground.subject.createTopic(4);
      const first = await recorder(ground.client(), ground.group, topic, (_partition, log) => log.committed ?? 0n);
      await eventually("the first assignment", () => first.seen.held.size === 4);
      const epochs = new Map(first.seen.held);
      const second = await recorder(ground.client(), ground.group, topic, (_partition, log) => log.committed ?? 0n);
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
      const topic = await ground.subject.createTopic(3);
      const done = new Map<number, bigint>();
      const startAt = (partition: number): bigint => done.get(partition) ?? 0n;
      const first = await recorder(ground.client(), ground.group, topic, startAt);
      await eventually("the first assignment", () => first.seen.held.size === 3);
      for (const partition of [0, 1, 2]) await ground.append(topic, partition, numbered(400));
      const second = await recorder(ground.client(), ground.group, topic, startAt);
      await eventually("a share for the second", () => second.seen.held.size > 0);
      for (const partition of [0, 1, 2]) await ground.append(topic, partition, numbered(400));
      await first.consumer.stop();
      const all = (): Set<string> =>
        new Set([...first.seen.records, ...second.seen.records].map(({ record }) => `${record.partition}@${record.offset}`));
      await eventually("all of them", () => all().size === 2400);
      expect([...first.seen.broken, ...second.seen.broken]).toEqual([]);
      await second.consumer.stop();
    });

    test("a commit is what the next assignment is told, and is not where records begin", async () => {
      const topic = await ground.subject.createTopic(1);
      await ground.append(topic, 0, numbered(10));
      const first = await recorder(ground.client(), ground.group, topic);
      await eventually("all records", () => first.texts().length === 10);
      await first.consumer.commit({ topic, partition: 0 }, 6n, first.seen.held.get(0) ?? 0);
      await first.consumer.stop();
      const second = await recorder(ground.client(), ground.group, topic, () => 2n);
      await eventually("its records", () => second.texts().length === 8);
      expect(second.seen.assigned[0]?.log.committed).toBe(6n);
      const places = [{ topic, partition: 0 }];
      expect([
        await ground.client().committedOf(ground.group, places),
        await ground.client().committedOf(`${ground.group}-other`, places),
      ]).toEqual([[6n], [null]]);
      expect(second.texts()).toEqual(numbered(10).slice(2));
      await second.consumer.stop();
    });

    test.for([
      ["below the start", 3n],
      ["beyond the end", 11n],
    ] as const)("6: an answer %s of the log ends the consumer", async ([_where, startAt]) => {
      const topic = await ground.subject.createTopic(1);
      await ground.append(topic, 0, numbered(10));
      await ground.subject.truncate({ topic, partition: 0 }, 4n);
      const { consumer, seen } = await recorder(ground.client(), ground.group, topic, () => startAt);
      await eventually("the failure", () => seen.failed.length > 0);
      expect(seen.failed).toHaveLength(1);
      expect(seen.failed[0]).toMatchObject({ code: "messaging.outside-log", isRetryable: false });
      expect(seen.records).toEqual([]);
      await consumer.stop();
    });

    test("a rejected answer ends the consumer", async () => {
      const topic = await ground.subject.createTopic(1);
      const { consumer, seen } = await recorder(ground.client(), ground.group, topic, async () => Promise.reject(new Error("no")));
      await eventually("the failure", () => seen.failed.length > 0);
      expect(seen.failed.map(({ message }) => message)).toEqual(["no"]);
      await consumer.stop();
    });

    test("7: a consumer of a topic that does not exist is refused", async () => {
      const messaging = ground.client();
      await expect(recorder(messaging, ground.group, `${ground.group}-absent`)).rejects.toMatchObject({ code: "messaging.unknown-topic" });
    });

    test("the heartbeat's age is Infinity before the first answer and stays young while the consumer idles", async () => {
      const topic = await ground.subject.createTopic(1);
      const { consumer, seen } = await recorder(ground.client(), ground.group, topic);
      expect(consumer.heartbeatAgeMs()).toBe(Number.POSITIVE_INFINITY);
      await eventually("the assignment", () => seen.held.size === 1);
      let oldestMs = 0;
      const endMs = performance.now() + 2 * ground.subject.heartbeatAgeMaxMs;
      await eventually("an idle while", () => {
        oldestMs = Math.max(oldestMs, consumer.heartbeatAgeMs());
        return performance.now() > endMs;
      });
      expect(oldestMs).toBeLessThan(ground.subject.heartbeatAgeMaxMs);
      expect(seen.assigned).toHaveLength(1);
      await consumer.stop();
    });
  });
}
