import { silentLogger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createMemoryBroker } from "../memory/messaging.ts";
import { createKeyedConsumer } from "./keyed-consumer.ts";
import type { KeyedConsumerOptions } from "./keyed-options.ts";

const topic = "t";
const partitions = [0, 1, 2, 3];

/** A consumer of four partitions that gets a record of each every 100 ms, and when it commits. */
async function consume(options: Pick<KeyedConsumerOptions<null>, "writePosition">) {
  const time = createVirtualTime({ startAtMs: 1_800_000_000_000, seed: 7 });
  const random = seededRandom(7);
  const commits: { readonly atMs: number; readonly key: string }[] = [];
  const observe = (_client: string, operation: string, key: string): void => {
    if (operation === "commit") commits.push({ atMs: time.monotonicMs(), key });
  };
  const broker = createMemoryBroker({ time, random, topics: { [topic]: partitions.length }, hooks: { observe } });
  const settled = time.finish;
  const consumer = await settled(
    createKeyedConsumer<null>({
      messaging: broker.client("c"),
      group: "g",
      topic,
      bufferedRecordsMax: 100,
      runningMax: 8,
      time,
      random,
      logger: silentLogger,
      metrics: silentMetrics,
      operatorSkips: { findBatchRequest: () => Promise.resolve(null) },
      startAt: async () => 0n,
      read: () => ({ key: "k", content: null }),
      handle: async () => {},
      fail: () => {},
      ...options,
    }),
  );
  const producer = await settled(broker.producer("p"));
  for (let times = 0; times < 200; times += 1) {
    const records = partitions.map((partition) => ({ topic, partition, key: Buffer.from("k"), value: Buffer.from("v"), headers: {} }));
    await settled(producer.send(records));
    await time.advance(100);
  }
  return { broker, commits, stop: () => settled(consumer.stop()) };
}

test("#1: an offset for display is committed every 5 s, of all partitions at one moment, and at the drain", async () => {
  const { broker, commits, stop } = await consume({ writePosition: async () => {} });
  const moments = [...new Set(commits.map(({ atMs }) => atMs))];
  expect(moments.length).toBeGreaterThanOrEqual(3);
  expect(moments.length).toBeLessThanOrEqual(5);
  expect(commits.length).toBe(moments.length * partitions.length);
  const committed = () => partitions.map((partition) => broker.committedOffset("g", { topic, partition }));
  expect(committed().every((offset) => offset !== null && offset < 200n)).toBe(true);
  await stop();
  expect(committed()).toEqual([200n, 200n, 200n, 200n]);
});

test("I1: an offset that is the position itself is committed with each write of the position", async () => {
  const { commits, stop } = await consume({});
  const moments = new Set(commits.map(({ atMs }) => atMs));
  expect(moments.size).toBeGreaterThanOrEqual(50);
  expect(commits.length / partitions.length).toBeLessThanOrEqual(90);
  await stop();
});
