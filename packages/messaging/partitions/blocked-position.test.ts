import { Fault, silentLogger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createKeyedConsumer } from "./keyed-consumer.ts";
import type { KeyedConsumerOptions } from "./keyed-options.ts";
import type { PartitionConsumer } from "./partition-consumer.ts";
import { createMemoryBroker } from "../memory/messaging.ts";
import type { ReceivedRecord } from "../port.ts";
import { SharedLimits } from "./shared-limits.ts";

const topic = "t";

/** `runningMax` is that of all partitions; in each a receiver has one handler at a time. */
async function start(handle: (record: ReceivedRecord) => Promise<void>, runningMax = 10) {
  const time = createVirtualTime({ startAtMs: 1_800_000_000_000, seed: 1 });
  const random = seededRandom(1);
  const broker = createMemoryBroker({ time, random, topics: { [topic]: 2 } });
  const options: KeyedConsumerOptions<null> = {
    messaging: broker.client("c"),
    group: "g",
    topic,
    runningMax: 1,
    sharing: {
      receiverRunningMin: 0,
      runningMaxOf: () => 1,
      readAheadFrom: 50,
      limits: new SharedLimits({ runningMax, runningBytesMax: 1_000_000, bufferedBytesMax: 1_000_000 }),
      receiverOf: ({ headers }) => headers["receiver"] ?? null,
      reached: () => {},
      full: () => {},
    },
    bufferedRecordsMax: 100,
    time,
    random,
    logger: silentLogger,
    metrics: silentMetrics,
    operatorSkips: { findBatchRequest: () => Promise.resolve(null) },
    fail: (reason) => {
      throw reason;
    },
    startAt: () => Promise.resolve(0n),
    read: ({ key }) => ({ key: Buffer.from(key ?? []).toString(), content: null }),
    handle,
  };
  const started: PartitionConsumer[] = [];
  void createKeyedConsumer(options).then((consumer) => started.push(consumer));
  await time.run({ until: () => started.length > 0, stepsMax: 1_000 });
  async function append(partition: number, ...keys: readonly string[]): Promise<void> {
    let isSent = false;
    const records = keys.map((key) => ({
      topic,
      partition,
      key: Buffer.from(key),
      value: Buffer.from("v"),
      headers: { receiver: "first" },
    }));
    void broker.producer("p").then((producer) => producer.send(records).then(() => (isSent = true)));
    await time.run({ until: () => isSent, stepsMax: 100_000 });
  }
  return { time, append, blocked: () => started[0]?.readiness().blocked ?? [] };
}

test("the oldest record that is not done blocks the position, from 10 s on, with what happens to it", async () => {
  const held = new Map<string, () => void>();
  const { time, append, blocked } = await start(async ({ key }) => {
    const name = Buffer.from(key ?? []).toString();
    if (name === "again") throw new Fault("test.away", "away", { isRetryable: true });
    await new Promise<void>((resolve) => held.set(name, resolve));
  });
  await append(0, "a", "b");
  await append(1, "again");
  await time.advance(9_000);
  expect(blocked()).toEqual([]);
  await time.advance(2_000);
  expect(blocked()).toMatchObject([
    { topic, partition: 0, offset: 0n, key: "a", receiver: "first", why: "in progress" },
    { topic, partition: 1, offset: 0n, key: "again", receiver: "first", why: "tried again: test.away" },
  ]);
  // The next one has waited just as long, but the position has stood at it only since now.
  held.get("a")?.();
  await time.advance(1_000);
  expect(blocked().filter(({ partition }) => partition === 0)).toEqual([]);
  await time.advance(10_000);
  const [second] = blocked();
  expect(second).toMatchObject({ partition: 0, offset: 1n, key: "b", why: "in progress" });
  expect(time.nowMs() - (second?.sinceMs ?? 0)).toBeGreaterThanOrEqual(10_000);
  expect(time.nowMs() - (second?.sinceMs ?? 0)).toBeLessThan(12_000);
  held.get("b")?.();
  await time.advance(11_000);
  expect(blocked().filter(({ partition }) => partition === 0)).toEqual([]);
});

test("a record that no handler has begun blocks the position of its partition as one that waits", async () => {
  const { time, append, blocked } = await start(() => new Promise<void>(() => {}), 1);
  await append(0, "a");
  await append(1, "b");
  await time.advance(20_000);
  expect(blocked()).toMatchObject([
    { partition: 0, key: "a", receiver: "first", why: "in progress" },
    { partition: 1, key: "b", receiver: "first", why: "waits for a place" },
  ]);
});
