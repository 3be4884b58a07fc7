// The conformance suite for members of a group. Numbers in titles are the promises of `port.ts`.

import { Fault } from "@sluice/kernel";
import { describe, expect, test } from "vitest";
import { eventually, numberedTexts, startRecorder, type ConformanceEnvironment } from "./conformance.fixture.ts";

export function describeConsumers(environment: ConformanceEnvironment): void {
  describe("consumer", () => {
    test("#2: a consumer gets both ends and the commit, starts at its answer, and hands over each record once, in order", async () => {
      const topic = await environment.subject.createTopic(1);
      await environment.append(topic, 0, numberedTexts(5000));
      const { consumer, recorded, texts } = await startRecorder(environment.client(), environment.group, topic, () => 7n);
      await eventually("all records", () => recorded.records.length >= 4993);
      await environment.append(topic, 0, ["last"]);
      await eventually("the record appended later", () => texts().includes("last"));
      expect(recorded.assigned).toMatchObject([{ partition: 0, log: { logStart: 0n, logEnd: 5000n, committed: null } }]);
      expect(texts()).toEqual([...numberedTexts(5000).slice(7), "last"]);
      expect(recorded.violations).toEqual([]);
      await consumer.stop();
    });

    test("#2: nothing of a partition is handed over before its assignment is answered; other partitions do not wait", async () => {
      const topic = await environment.subject.createTopic(2);
      await environment.append(topic, 0, numberedTexts(3));
      await environment.append(topic, 1, numberedTexts(3));
      const { promise: answer, resolve: give } = Promise.withResolvers<bigint>();
      const { consumer, recorded, texts } = await startRecorder(environment.client(), environment.group, topic, (partition) =>
        partition === 0 ? answer : 0n,
      );
      await eventually("the other partition's records", () => texts(1).length === 3);
      expect(texts(0)).toEqual([]);
      give(1n);
      await eventually("the rest", () => texts(0).length === 2);
      expect(texts(0)).toEqual(["r1", "r2"]);
      expect(recorded.violations).toEqual([]);
      await consumer.stop();
    });

    test("pause stops a partition, resume soon continues it where it was, and pauseAll stops all partitions", async () => {
      const topic = await environment.subject.createTopic(2);
      const { consumer, recorded, texts } = await startRecorder(environment.client(), environment.group, topic);
      await environment.append(topic, 0, ["a"]);
      await eventually("the first record", () => texts(0).length === 1);
      consumer.pause({ topic, partition: 0 });
      await environment.append(topic, 0, ["b"]);
      await environment.append(topic, 1, ["c"]);
      await eventually("the other partition", () => texts(1).length === 1);
      expect(texts(0)).toEqual(["a"]);
      consumer.resume({ topic, partition: 0 });
      await eventually("the paused record", () => texts(0).length === 2);
      expect(texts(0)).toEqual(["a", "b"]);
      consumer.pauseAll();
      await environment.append(topic, 0, ["d"]);
      await consumer.commit({ topic, partition: 0 }, 2n, recorded.epochs.get(0) ?? 0);
      await consumer.stop();
      expect(texts().toSorted()).toEqual(["a", "b", "c"]);
      const next = await startRecorder(environment.client(), environment.group, topic, (_partition, log) => log.committed ?? 0n);
      await eventually("the next owner", () => next.texts(0).length === 1);
      expect(next.texts(0)).toEqual(["d"]);
      expect([...recorded.violations, ...next.recorded.violations]).toEqual([]);
    });

    test("#3, #4: when a second member joins or leaves, everything is revoked and assigned again under higher epochs", async () => {
      const topic = await environment.subject.createTopic(4);
      const first = await startRecorder(environment.client(), environment.group, topic, (_partition, log) => log.committed ?? 0n);
      await eventually("the first assignment", () => first.recorded.epochs.size === 4);
      const epochs = new Map(first.recorded.epochs);
      const second = await startRecorder(environment.client(), environment.group, topic, (_partition, log) => log.committed ?? 0n);
      await eventually("a fair share each", () => first.recorded.epochs.size === 2 && second.recorded.epochs.size === 2);
      expect(first.recorded.revoked.filter(({ epoch }) => epoch === epochs.get(0))).toHaveLength(4);
      for (const [partition, epoch] of first.recorded.epochs) expect(epoch).toBeGreaterThan(epochs.get(partition) ?? 0);
      const shared = [...first.recorded.epochs.keys(), ...second.recorded.epochs.keys()].toSorted((a, b) => a - b);
      expect(shared).toEqual([0, 1, 2, 3]);
      const [theirs] = second.recorded.epochs.keys();
      // #3: a commit of an old epoch, or of another member's partition, is dropped.
      await first.consumer.commit({ topic, partition: theirs ?? 0 }, 3n, epochs.get(theirs ?? 0) ?? 0);
      await second.consumer.stop();
      expect(second.recorded.epochs.size).toBe(0);
      await eventually("all back", () => first.recorded.epochs.size === 4);
      const again = first.recorded.assigned.findLast(({ partition }) => partition === theirs);
      expect(again?.log.committed).toBe(null);
      for (let partition = 0; partition < 4; partition += 1) {
        const all = first.recorded.assigned.filter((assigned) => assigned.partition === partition).map(({ epoch }) => epoch);
        expect(new Set(all).size).toBe(all.length);
        expect(all).toEqual(all.toSorted((a, b) => a - b));
      }
      expect([...first.recorded.violations, ...second.recorded.violations]).toEqual([]);
      await first.consumer.stop();
    });

    test("#9: a member commits what it has begun before a joining one gets its partitions", async () => {
      const topic = await environment.subject.createTopic(4);
      for (const partition of [0, 1, 2, 3]) await environment.append(topic, partition, numberedTexts(5));
      const commitLate = async (partition: number, epoch: number): Promise<void> => {
        await new Promise((resolve) => setTimeout(resolve, 300));
        await first.consumer.commit({ topic, partition }, BigInt(partition + 1), epoch);
      };
      const first = await startRecorder(environment.client(), environment.group, topic, undefined, undefined, commitLate);
      await eventually("the first assignment", () => first.texts().length === 20);
      const second = await startRecorder(environment.client(), environment.group, topic);
      await eventually("a fair share each", () => first.recorded.epochs.size === 2 && second.recorded.epochs.size === 2);
      const assigned = [...first.recorded.assigned.slice(4), ...second.recorded.assigned];
      const committed = new Map(assigned.map(({ partition, log }) => [partition, log.committed]));
      expect([0, 1, 2, 3].map((partition) => committed.get(partition))).toEqual([1n, 2n, 3n, 4n]);
      expect([...first.recorded.violations, ...second.recorded.violations]).toEqual([]);
      await first.consumer.stop();
      await second.consumer.stop();
    });

    test("#9: a hand-over that does not end keeps a joining member waiting for some seconds, and no longer", async () => {
      const topic = await environment.subject.createTopic(2);
      const never = (): Promise<void> => new Promise(() => {});
      const first = await startRecorder(environment.client(), environment.group, topic, undefined, undefined, never);
      await eventually("the first assignment", () => first.recorded.epochs.size === 2);
      const second = await startRecorder(environment.client(), environment.group, topic);
      await eventually("a fair share each", () => first.recorded.epochs.size === 1 && second.recorded.epochs.size === 1);
      expect(first.recorded.failed).toEqual([]);
      expect([...first.recorded.violations, ...second.recorded.violations]).toEqual([]);
      await second.consumer.stop();
      await first.consumer.stop();
    });

    test("every record is handed over to some member while members join and leave", async () => {
      const topic = await environment.subject.createTopic(3);
      const done = new Map<number, bigint>();
      const startAt = (partition: number): bigint => done.get(partition) ?? 0n;
      const first = await startRecorder(environment.client(), environment.group, topic, startAt);
      await eventually("the first assignment", () => first.recorded.epochs.size === 3);
      for (const partition of [0, 1, 2]) await environment.append(topic, partition, numberedTexts(400));
      const second = await startRecorder(environment.client(), environment.group, topic, startAt);
      await eventually("a share for the second", () => second.recorded.epochs.size > 0);
      for (const partition of [0, 1, 2]) await environment.append(topic, partition, numberedTexts(400));
      await first.consumer.stop();
      const all = (): Set<string> =>
        new Set([...first.recorded.records, ...second.recorded.records].map(({ record }) => `${record.partition}@${record.offset}`));
      await eventually("all of them", () => all().size === 2400);
      expect([...first.recorded.violations, ...second.recorded.violations]).toEqual([]);
      await second.consumer.stop();
    });

    test("the next assignment gets the commit, but records begin at the answer to that assignment", async () => {
      const topic = await environment.subject.createTopic(1);
      await environment.append(topic, 0, numberedTexts(10));
      const first = await startRecorder(environment.client(), environment.group, topic);
      await eventually("all records", () => first.texts().length === 10);
      await first.consumer.commit({ topic, partition: 0 }, 6n, first.recorded.epochs.get(0) ?? 0);
      await first.consumer.stop();
      const second = await startRecorder(environment.client(), environment.group, topic, () => 2n);
      await eventually("its records", () => second.texts().length === 8);
      expect(second.recorded.assigned[0]?.log.committed).toBe(6n);
      const places = [{ topic, partition: 0 }];
      expect([
        await environment.client().committedOffsets(environment.group, places),
        await environment.client().committedOffsets(`${environment.group}-other`, places),
      ]).toEqual([[6n], [null]]);
      expect(second.texts()).toEqual(numberedTexts(10).slice(2));
      await second.consumer.stop();
    });

    test.for([
      ["below the start", 3n],
      ["beyond the end", 11n],
    ] as const)("#6: an answer %s of the partition ends the consumer", async ([_where, startAt]) => {
      const topic = await environment.subject.createTopic(1);
      await environment.append(topic, 0, numberedTexts(10));
      await environment.subject.truncate({ topic, partition: 0 }, 4n);
      const { consumer, recorded } = await startRecorder(environment.client(), environment.group, topic, () => startAt);
      await eventually("the failure", () => recorded.failed.length > 0);
      expect(recorded.failed).toHaveLength(1);
      expect(recorded.failed[0]).toMatchObject({ code: "messaging.outside-log", isRetryable: false });
      expect(recorded.records).toEqual([]);
      await consumer.stop();
    });

    test("#6: retention that takes records before they are read ends the consumer, and moves no committed offset", async () => {
      const topic = await environment.subject.createTopic(1);
      const place = { topic, partition: 0 };
      await environment.append(topic, 0, numberedTexts(3));
      const { consumer, recorded, texts } = await startRecorder(environment.client(), environment.group, topic);
      await eventually("its records", () => texts().length === 3);
      await consumer.commit(place, 3n, recorded.epochs.get(0) ?? 0);
      consumer.pause(place);
      await environment.append(topic, 0, numberedTexts(7));
      await environment.subject.truncate(place, 8n);
      consumer.resume(place);
      await eventually("the failure", () => recorded.failed.length > 0);
      expect(recorded.failed).toMatchObject([{ code: "messaging.outside-log", isRetryable: false }]);
      expect(texts()).toEqual(numberedTexts(3));
      expect(await environment.client().committedOffsets(environment.group, [place])).toEqual([3n]);
      await consumer.stop();
    });

    test("a rejection of `assigned` ends the consumer", async () => {
      const topic = await environment.subject.createTopic(1);
      const { consumer, recorded } = await startRecorder(environment.client(), environment.group, topic, async () =>
        Promise.reject(new Error("no")),
      );
      await eventually("the failure", () => recorded.failed.length > 0);
      expect(recorded.failed.map(({ message }) => message)).toEqual(["no"]);
      await consumer.stop();
    });

    test("#8: a batch that cannot be read stops its partition alone, behind the records before it", async () => {
      const topic = await environment.subject.createTopic(2);
      await environment.append(topic, 0, ["a", "b"]);
      await environment.subject.appendUnreadable({ topic, partition: 0 }, ["x", "y", "z"]);
      await environment.append(topic, 0, ["c"]);
      await environment.append(topic, 1, ["d"]);
      const { consumer, recorded, texts } = await startRecorder(environment.client(), environment.group, topic);
      await eventually("two readings of the batch", () => recorded.unreadable.length >= 2 || recorded.failed.length > 0);
      await environment.append(topic, 1, ["e"]);
      await eventually("the other partition", () => texts(1).length === 2);
      expect(texts(0)).toEqual(["a", "b"]);
      const found = { topic, partition: 0, firstOffset: 2n, lastOffset: 4n, reason: "compression" };
      expect(recorded.unreadable.slice(0, 2)).toMatchObject([found, found]);
      expect(recorded.failed).toEqual([]);
      expect(recorded.violations).toEqual([]);
      await consumer.stop();
    });

    test("#8: a skipped batch is not read again, and the records behind it follow; a retryable Fault is no skip", async () => {
      const topic = await environment.subject.createTopic(1);
      await environment.subject.appendUnreadable({ topic, partition: 0 }, ["x", "y", "z"]);
      await environment.append(topic, 0, ["c"]);
      const answers = ["fault", "read-again", "skip"];
      const { consumer, recorded, texts } = await startRecorder(environment.client(), environment.group, topic, undefined, () => {
        const answer = answers.shift();
        if (answer === "fault") throw new Fault("test.busy", "busy", { isRetryable: true });
        return answer === "skip" ? "skip" : "read-again";
      });
      await eventually("the record behind it", () => texts().length === 1);
      await environment.append(topic, 0, ["d"]);
      await eventually("the next record", () => texts().length === 2);
      expect(texts()).toEqual(["c", "d"]);
      expect(recorded.unreadable).toHaveLength(3);
      expect([recorded.failed, recorded.violations]).toEqual([[], []]);
      await consumer.stop();
    });

    test("#7: a consumer of a topic that does not exist is refused", async () => {
      const messaging = environment.client();
      await expect(startRecorder(messaging, environment.group, `${environment.group}-absent`)).rejects.toMatchObject({
        code: "messaging.unknown-topic",
      });
    });

    test("the heartbeat's age is Infinity before the first answer and stays low while the consumer is idle", async () => {
      const topic = await environment.subject.createTopic(1);
      const { consumer, recorded } = await startRecorder(environment.client(), environment.group, topic);
      expect([consumer.heartbeatAgeMs(), consumer.assignedCount()]).toEqual([Number.POSITIVE_INFINITY, null]);
      await eventually("the assignment", () => recorded.epochs.size === 1);
      expect(consumer.assignedCount()).toBe(1);
      let oldestMs = 0;
      const endMs = performance.now() + 2 * environment.subject.heartbeatAgeMaxMs;
      await eventually("an idle while", () => {
        oldestMs = Math.max(oldestMs, consumer.heartbeatAgeMs());
        return performance.now() > endMs;
      });
      expect(oldestMs).toBeLessThan(environment.subject.heartbeatAgeMaxMs);
      expect(recorded.assigned).toHaveLength(1);
      await consumer.stop();
    });
  });
}
