// The two offsets by which an alarm knows a partition that stands: what it received, and what it has finished.

import { silentLogger } from "@sluice/kernel";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createMemoryBroker } from "../memory/messaging.ts";
import { createBatchConsumer } from "./batch-consumer.ts";

const topic = "t";

test("a partition that stands shows that it has received more than it finished, until it goes on", async () => {
  const time = createVirtualTime({ startAtMs: 1_800_000_000_000, seed: 7 });
  const random = seededRandom(7);
  const broker = createMemoryBroker({ time, random, topics: { [topic]: 1 } });
  const gauges = new Map<string, number>();
  const offsets = () => ["received", "committed"].map((which) => gauges.get(`sluice_partition_${which}_offset t 0`));
  const settled = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    void work.finally(() => (isDone = true)).catch(() => null);
    await time.run({ until: () => isDone, stepsMax: 100_000 });
    return await work;
  };
  const producer = await settled(broker.producer("p"));
  const record = { topic, partition: 0, key: Buffer.from("k"), value: Buffer.from("v"), headers: {} };
  await settled(producer.send([record, record, record]));
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const consumer = await settled(
    createBatchConsumer({
      messaging: broker.client("c"),
      group: "g",
      topic,
      bufferedRecordsMax: 100,
      batchRecordsMax: 10,
      time,
      random,
      logger: silentLogger,
      metrics: {
        gauge: (name) => ({ set: (value, labels = {}) => void gauges.set([name, ...Object.values(labels)].join(" "), value) }),
      },
      operatorSkips: { findBatchRequest: () => Promise.resolve(null) },
      fail: () => {},
      open: async () => ({ startAt: 0n, close: async () => {}, handle: () => released }),
    }),
  );
  await time.advance(60_000);
  expect(offsets()).toEqual([3, 0]);
  expect(gauges.get("sluice_partition_owned t 0")).toBe(1);
  release();
  await time.advance(60_000);
  expect(offsets()).toEqual([3, 3]);
  await settled(consumer.stop());
  expect(offsets()).toEqual([0, 0]);
  expect(gauges.get("sluice_partition_owned t 0")).toBe(0);
});
