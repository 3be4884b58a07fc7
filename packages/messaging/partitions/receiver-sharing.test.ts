// Receivers that share a partition, and partitions that share memory.

import { Fault, silentLogger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { describe, expect, test } from "vitest";
import { createKeyedConsumer } from "./keyed-consumer.ts";
import type { KeyedConsumerOptions } from "./keyed-options.ts";
import { createMemoryBroker } from "../memory/messaging.ts";
import type { ReceivedRecord } from "../port.ts";
import { type ReachedBound, SharedLimits, type SharedLimitsOptions } from "./shared-limits.ts";

const topic = "t";
const mebibyte = 1_048_576;
const roomy = { runningMax: 4_096, runningBytesMax: 16 * mebibyte, bufferedBytesMax: 48 * mebibyte };

interface Given {
  readonly limits?: Partial<SharedLimitsOptions>;
  readonly partitions?: number;
  readonly runningMax?: number;
  readonly bufferedRecordsMax?: number;
  readonly readAheadFrom?: number;
  /** The receivers whose name the header does not say. */
  readonly unnamed?: string;
  readonly answerMs: (receiver: string, record: ReceivedRecord) => number;
}

/** A record's key is `receiver/number`, and each is handled for as long as its receiver takes to answer. */
async function setup(given: Given) {
  const time = createVirtualTime({ startAtMs: 1_800_000_000_000, seed: 1 });
  const random = seededRandom(1);
  const partitions = given.partitions ?? 1;
  const broker = createMemoryBroker({ time, random, topics: { [topic]: partitions } });
  const limits = new SharedLimits({ ...roomy, ...given.limits });
  const seen = { read: 0, running: 0, runningMost: 0, bufferedMost: 0, full: [] as boolean[] };
  const started = new Map<string, number>();
  const order: string[] = [];
  const reached: ReachedBound[] = [];
  const nameOf = ({ key }: ReceivedRecord): string => Buffer.from(key ?? []).toString();
  const options: KeyedConsumerOptions<null> = {
    messaging: broker.client("c"),
    group: "g",
    topic,
    runningMax: given.runningMax ?? 64,
    bufferedRecordsMax: given.bufferedRecordsMax ?? 12_000,
    time,
    random,
    logger: silentLogger,
    metrics: silentMetrics,
    operatorSkips: { findBatchRequest: () => Promise.resolve(null) },
    fail: (reason) => {
      throw reason;
    },
    startAt: async () => 0n,
    sharing: {
      receiverRunningMin: 4,
      runningMaxOf: () => 64,
      readAheadFrom: given.readAheadFrom ?? 500,
      limits,
      receiverOf: ({ headers }) => headers["receiver"] ?? null,
      reached: (bound) => void reached.push(bound),
      full: (_partition, _epoch, isFull) => void seen.full.push(isFull),
    },
    read: (record) => {
      seen.read += 1;
      return { key: nameOf(record), content: null, receiver: nameOf(record).split("/")[0] ?? null };
    },
    handle: async (record) => {
      const name = nameOf(record);
      started.set(name, time.nowMs());
      order.push(name);
      seen.running += 1;
      seen.runningMost = Math.max(seen.runningMost, limits.running);
      seen.bufferedMost = Math.max(seen.bufferedMost, limits.bufferedBytes);
      await new Promise<void>((resolve) => time.after(given.answerMs(name.split("/")[0] ?? "", record), resolve));
      seen.running -= 1;
    },
  };
  let isStarted = false;
  void createKeyedConsumer(options).then(() => (isStarted = true));
  await time.run({ until: () => isStarted, stepsMax: 1_000 });
  const numbers = new Map<string, number>();
  async function append(receivers: readonly string[], { bytes = 8, partition = 0 } = {}): Promise<readonly string[]> {
    const producer = broker.producer("p");
    const names = receivers.map((receiver) => {
      const number = (numbers.get(receiver) ?? 0) + 1;
      numbers.set(receiver, number);
      return `${receiver}/${number}`;
    });
    const records = names.map((name) => {
      const [receiver = ""] = name.split("/");
      return {
        topic,
        partition,
        key: Buffer.from(name),
        value: Buffer.alloc(bytes),
        headers: receiver === given.unnamed ? {} : { receiver },
      };
    });
    let isSent = false;
    void producer.then((its) => its.send(records)).then(() => (isSent = true));
    await time.run({ until: () => isSent, stepsMax: 100_000 });
    return names;
  }
  const startedAll = (names: readonly string[]): boolean => names.every((name) => started.has(name));
  return { time, broker, limits, seen, started, order, reached, append, startedAll };
}

const times = (count: number, receiver: string): string[] => Array.from({ length: count }, () => receiver);

describe("receivers that share a partition (I14)", () => {
  test("#7: one whose handlers take all places lets another one start at once, and keeps its own order", async () => {
    const environment = await setup({ answerMs: (receiver) => (receiver === "slow" ? 60_000 : 5) });
    const slow = await environment.append(times(300, "slow"));
    await environment.time.advance(1_000);
    const atMs = environment.time.nowMs();
    const [first = ""] = await environment.append(["prompt"]);
    await environment.time.advance(100);
    expect((environment.started.get(first) ?? Infinity) - atMs).toBeLessThan(20);
    expect(environment.order.filter((name) => name.startsWith("slow"))).toEqual(slow.slice(0, 64));
    await environment.time.advance(61_000);
    expect(environment.order.filter((name) => name.startsWith("slow"))).toEqual(slow.slice(0, 128));
  });

  test("#7: thirty of them that take all places let another one start within 150 ms, however many there are", async () => {
    const environment = await setup({ answerMs: (receiver) => (receiver === "prompt" ? 5 : 60_000) });
    for (let round = 0; round < 20; round += 1) await environment.append(Array.from({ length: 30 }, (_, index) => `silent-${index}`));
    const atMs = environment.time.nowMs();
    const names = await environment.append(times(20, "prompt"));
    await environment.time.advance(1_000);
    for (const name of names) expect((environment.started.get(name) ?? Infinity) - atMs).toBeLessThan(150);
  });

  test("#7: handlers that only wait for their receivers do not keep more of them from starting", async () => {
    const environment = await setup({ answerMs: () => 2_000 });
    const names = await environment.append(Array.from({ length: 300 }, (_, index) => `slow-${index % 10}`));
    await environment.time.advance(1_000);
    expect(environment.startedAll(names)).toBe(true);
  });

  test("a record that does not name its receiver is decoded for it, waits in the receiver's line, and lets others pass", async () => {
    const environment = await setup({ unnamed: "slow", answerMs: (receiver) => (receiver === "slow" ? 60_000 : 5) });
    await environment.append(times(300, "slow"));
    const prompt = await environment.append(times(10, "prompt"));
    await environment.time.advance(1_000);
    expect(environment.startedAll(prompt)).toBe(true);
    expect(environment.order.filter((name) => name.startsWith("slow"))).toHaveLength(64);
    expect(environment.seen.read).toBe(310);
  });

  test("#6: a record that names its receiver is decoded only in its turn", async () => {
    const environment = await setup({ answerMs: () => 60_000 });
    await environment.append(times(300, "slow"));
    await environment.time.advance(1_000);
    expect(environment.seen.read).toBe(64);
  });

  test("a partition reads on only where what it has takes long to leave", async () => {
    const quick = await setup({ readAheadFrom: 50, answerMs: () => 5 });
    await quick.append(times(3_000, "a"));
    await quick.time.advance(150);
    const { limits } = quick;
    expect(limits.bufferedBytes / 420).toBeLessThan(200);
    const slow = await setup({ readAheadFrom: 50, answerMs: () => 10_000 });
    await slow.append(times(3_000, "a"));
    await slow.time.advance(2_000);
    expect(slow.limits.bufferedBytes / 420).toBeGreaterThan(2_900);
  });
});

describe("memory that partitions share (I15)", () => {
  test.each([
    ["one receiver", 1, 75],
    ["1,000 receivers", 1_000, 300],
  ])("is bounded for %s without an answer: records in progress, records in memory, and bytes", async (_, receivers, running) => {
    const environment = await setup({
      partitions: 2,
      limits: { runningMax: 300, bufferedBytesMax: 4 * mebibyte },
      bufferedRecordsMax: 2_000,
      answerMs: () => 3_600_000,
    });
    for (const partition of [0, 1])
      for (let round = 0; round < 5; round += 1)
        await environment.append(
          Array.from({ length: 2_000 }, (_unused, index) => `r${index % receivers}`),
          { partition, bytes: 2_000 },
        );
    await environment.time.advance(60_000);
    expect(environment.limits.running).toBe(running);
    // A fetch in flight of each partition may exceed the bound.
    expect(environment.limits.bufferedBytes).toBeLessThan(4 * mebibyte + 2 * 100 * 2_500);
    expect(environment.reached).toContain("buffered-bytes");
    expect(environment.seen.full).toEqual([true, true]);
  });

  test("#1: a receiver has at most a third of what is free in progress, so that another one always finds room", async () => {
    const environment = await setup({
      partitions: 8,
      limits: { runningMax: 100 },
      answerMs: (receiver) => (receiver === "slow" ? 3_600_000 : 5),
    });
    for (let partition = 0; partition < 8; partition += 1) await environment.append(times(64, "slow"), { partition });
    await environment.time.advance(5_000);
    expect(environment.limits.running).toBe(25);
    expect(new Set(environment.reached)).toEqual(new Set(["receiver-share"]));
    const others = await environment.append(times(50, "prompt"), { partition: 7 });
    await environment.time.advance(1_000);
    expect(environment.startedAll(others)).toBe(true);
    // Each partition reports once that it is held, however often it is woken.
    expect(environment.reached.length).toBeLessThanOrEqual(8);
  });

  test("#2: is bounded by the bytes of records in progress, and all of them are handled in the end", async () => {
    const environment = await setup({ limits: { runningBytesMax: 10_000 }, answerMs: () => 10 });
    const names = await environment.append(times(200, "a"), { bytes: 2_000 });
    await environment.time.advance(10_000);
    expect(environment.startedAll(names)).toBe(true);
    expect(environment.seen.runningMost).toBeLessThanOrEqual(5);
    expect(environment.limits.running).toBe(0);
    expect(environment.limits.bufferedBytes).toBe(0);
  });

  test("#3: a partition that others have left no memory reads on with its own part", async () => {
    const environment = await setup({
      partitions: 2,
      limits: { bufferedBytesMax: mebibyte },
      answerMs: (receiver) => (receiver === "slow" ? 3_600_000 : 5),
    });
    await environment.append(times(2_000, "slow"), { partition: 0, bytes: 2_000 });
    await environment.time.advance(5_000);
    expect(environment.limits.bufferedBytes).toBeGreaterThan(mebibyte / 2);
    const names = await environment.append(times(500, "prompt"), { partition: 1, bytes: 2_000 });
    await environment.time.advance(10_000);
    expect(environment.startedAll(names)).toBe(true);
  });

  test("is released by the end of an epoch, so that a partition that comes and goes keeps nothing", async () => {
    const environment = await setup({ answerMs: () => 200 });
    await environment.append(times(300, "a"));
    await environment.time.advance(100);
    environment.broker.rebalance("g");
    await environment.time.advance(60_000);
    expect(environment.limits.running).toBe(0);
    expect(environment.limits.bufferedBytes).toBe(0);
  });
});

test("#2: while 500 keys of a partition are in a back-off, no more of it is decoded", async () => {
  const time = createVirtualTime({ startAtMs: 1_800_000_000_000, seed: 2 });
  const random = seededRandom(2);
  const broker = createMemoryBroker({ time, random, topics: { [topic]: 1 } });
  let read = 0;
  let isDown = true;
  const done = new Set<bigint>();
  void createKeyedConsumer<null>({
    messaging: broker.client("c"),
    group: "g",
    topic,
    runningMax: 64,
    bufferedRecordsMax: 5_000,
    time,
    random,
    logger: silentLogger,
    metrics: silentMetrics,
    operatorSkips: { findBatchRequest: () => Promise.resolve(null) },
    fail: () => {},
    startAt: async () => 0n,
    read: ({ offset }) => {
      read += 1;
      return { key: `${offset}`, content: null };
    },
    handle: async ({ offset }) => {
      if (isDown) throw new Fault("test.down", "down", { isRetryable: true });
      done.add(offset);
    },
  });
  const records = Array.from({ length: 3_000 }, () => ({ topic, partition: 0, key: null, value: null, headers: {} }));
  void broker.producer("p").then((producer) => producer.send(records));
  await time.advance(20_000);
  expect(read).toBeGreaterThan(400);
  expect(read).toBeLessThan(700);
  isDown = false;
  await time.advance(60_000);
  expect(done.size).toBe(3_000);
});
