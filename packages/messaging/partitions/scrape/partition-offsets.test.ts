// The offsets by which an alarm knows a partition that stands: what it received, and what it has finished; and what a
// scrape says of it.

import { type ListedSample, silentLogger } from "@sluice/kernel";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createMemoryBroker } from "../../memory/messaging.ts";
import { createBatchConsumer } from "../batch-consumer.ts";
import { createKeyedConsumer } from "../keyed-consumer.ts";

const topic = "t";

test("a partition that stands shows that it has received more than it finished, until it goes on", async () => {
  const time = createVirtualTime({ startAtMs: 1_800_000_000_000, seed: 7 });
  const random = seededRandom(7);
  const broker = createMemoryBroker({ time, random, topics: { [topic]: 1 } });
  const gauges = new Map<string, number>();
  const offsets = () => ["received", "committed"].map((which) => gauges.get(`sluice_partition_${which}_offset t 0`));
  const settled = time.finish;
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
        listed: () => {},
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

/** A consumer whose handling succeeds only while it may, over a log to which a test appends. */
async function openScraped(kind: "batch" | "keyed") {
  const time = createVirtualTime({ startAtMs: 1_800_000_000_000, seed: 7 });
  const random = seededRandom(7);
  const broker = createMemoryBroker({ time, random, topics: { [topic]: 2 } });
  const handling = { isStuck: false };
  let list: () => readonly ListedSample[] = () => [];
  const settled = time.finish;
  const handle = async (): Promise<void> => {
    while (handling.isStuck) await new Promise<void>((resolve) => time.after(100, resolve));
  };
  const options = {
    messaging: broker.client("c"),
    group: "g",
    topic,
    bufferedRecordsMax: 100,
    time,
    random,
    logger: silentLogger,
    metrics: { gauge: () => ({ set: () => {} }), listed: (_: unknown, listing: typeof list) => void (list = listing) },
    operatorSkips: { findBatchRequest: () => Promise.resolve(null) },
    fail: () => {},
  };
  const consumer = await settled(
    kind === "batch"
      ? createBatchConsumer({ ...options, batchRecordsMax: 10, open: async () => ({ startAt: 0n, close: async () => {}, handle }) })
      : createKeyedConsumer({
          ...options,
          runningMax: 8,
          startAt: async () => 0n,
          read: ({ offset }) => ({ key: `@${offset}`, content: null }),
          handle,
        }),
  );
  const producer = await settled(broker.producer("p"));
  const append = async (): Promise<unknown> =>
    await settled(producer.send([{ topic, partition: 0, key: null, value: Buffer.from("v"), headers: {} }]));
  /** Seconds, of each partition: how old its oldest record is, and how long ago its heart beat. */
  const scrape = (): Readonly<Record<string, readonly number[]>> => {
    const samples = list();
    const of = (name: string, partition: string): number =>
      samples.find((sample) => sample.name === `sluice_partition_${name}_seconds` && sample.labels["partition"] === partition)?.value ??
      NaN;
    const partitions = [...new Set(samples.map(({ labels }) => labels["partition"] ?? ""))];
    return Object.fromEntries(
      partitions.map((partition) => {
        const ages = [of("record_age", partition), time.nowMs() / 1_000 - of("heartbeat_timestamp", partition)];
        return [partition, ages.map((age) => Math.round(age / 10) * 10)];
      }),
    );
  };
  await time.advance(10_000);
  return { time, broker, consumer, handling, append, scrape, settled };
}

test.each(["batch", "keyed"] as const)(
  "%s: a scrape says how old the oldest record is and how long ago the heart beat, also while a partition stands",
  async (kind) => {
    const { time, consumer, handling, append, scrape, settled } = await openScraped(kind);
    expect(scrape()).toEqual({ 0: [0, 0], 1: [0, 0] });
    handling.isStuck = true;
    await append();
    await time.advance(50_000);
    expect(scrape()).toEqual({ 0: [50, 50], 1: [0, 0] });
    await append();
    await time.advance(50_000);
    expect(scrape()).toEqual({ 0: [100, 100], 1: [0, 0] });
    handling.isStuck = false;
    await time.advance(10_000);
    expect(scrape()).toEqual({ 0: [0, 0], 1: [0, 0] });
    await time.advance(300_000);
    expect(scrape()).toEqual({ 0: [0, 0], 1: [0, 0] });
    await settled(consumer.stop());
    expect(scrape()).toEqual({});
  },
);

test("a partition without work, whose consumer hears nothing of its group, has no heartbeat", async () => {
  const { time, scrape, broker } = await openScraped("batch");
  broker.setBroker(false);
  await time.advance(100_000);
  expect(scrape()).toEqual({ 0: [0, 100], 1: [0, 100] });
});
