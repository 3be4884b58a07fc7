import { Fault, silentLogger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { describe, expect, test } from "vitest";
import { type BatchConsumerOptions, createBatchConsumer } from "./batch-consumer.ts";
import { createKeyedConsumer } from "./keyed-consumer.ts";
import type { KeyedConsumerOptions } from "./keyed-options.ts";
import { createMemoryBroker, type MemoryHooks } from "../memory/messaging.ts";

const topic = "t";
const retryable = (): Fault => new Fault("test.busy", "busy", { isRetryable: true });

function setup(seed: number, options: { partitions?: number; hooks?: MemoryHooks } = {}) {
  const time = createVirtualTime({ startAtMs: 1_800_000_000_000, seed });
  const random = seededRandom(seed);
  const broker = createMemoryBroker({
    time,
    random,
    topics: { [topic]: options.partitions ?? 1 },
    ...(options.hooks && { hooks: options.hooks }),
  });
  const operatorSkips = { findBatchRequest: () => Promise.resolve(null) };
  const shared = { group: "g", topic, bufferedRecordsMax: 100, time, random, logger: silentLogger, metrics: silentMetrics, operatorSkips };
  async function append(keys: readonly string[], partition = 0): Promise<void> {
    const producer = await during(broker.producer("p"));
    const records = keys.map((key) => ({ topic, partition, key: Buffer.from(key), value: Buffer.from(key), headers: {} }));
    await during(producer.send(records));
  }
  const during = time.finish;
  async function until(condition: () => boolean): Promise<void> {
    const end = await time.run({ until: condition, stepsMax: 100_000, untilMs: time.nowMs() + 600_000 });
    expect(end.because).toBe("until");
  }
  return { time, random, broker, shared, append, during, until };
}

type Environment = ReturnType<typeof setup>;

async function startBatch(
  environment: Environment,
  options: Partial<BatchConsumerOptions> & Pick<BatchConsumerOptions, "open">,
  client = environment.broker.client("c"),
) {
  const failures: Error[] = [];
  const base = { ...environment.shared, messaging: client, batchRecordsMax: 10, fail: (reason: Error) => void failures.push(reason) };
  const partitionConsumer = await environment.during(createBatchConsumer({ ...base, ...options }));
  return { partitionConsumer, failures, client };
}

async function startKeyed(
  environment: Environment,
  options: Partial<KeyedConsumerOptions<null>> & Pick<KeyedConsumerOptions<null>, "handle">,
  client = environment.broker.client("c"),
) {
  const failures: Error[] = [];
  const base = {
    ...environment.shared,
    messaging: client,
    runningMax: 8,
    startAt: async () => 0n,
    read: (record: { key: Uint8Array | null }) => ({ key: Buffer.from(record.key ?? []).toString(), content: null }),
    fail: (reason: Error) => void failures.push(reason),
  };
  const partitionConsumer = await environment.during(createKeyedConsumer({ ...base, ...options }));
  return { partitionConsumer, failures, client };
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `k${index}`);

describe("a partition that other members' joining takes away", () => {
  const lastsMs = 400;

  test("I3: a keyed consumer finishes what is under way and commits it first, so nothing is handled twice [D10.40]", async () => {
    const environment = setup(61);
    await environment.append(numbered(20));
    const handled: bigint[] = [];
    const { partitionConsumer } = await startKeyed(environment, {
      startAt: async (_partition, _epoch, log) => log.committed ?? 0n,
      handle: async ({ offset }) => {
        handled.push(offset);
        await new Promise<void>((resolve) => environment.time.after(lastsMs, resolve));
      },
    });
    await environment.until(() => handled.length > 0);
    environment.broker.rebalance("g");
    await environment.until(() => handled.length >= 20);
    expect(handled).toEqual([...new Set(handled)]);
    await environment.during(partitionConsumer.stop());
  });

  test("I3: a batch consumer finishes the batch that is under way and commits it first [D10.40]", async () => {
    const environment = setup(62);
    await environment.append(numbered(57));
    const handled: bigint[] = [];
    const { partitionConsumer } = await startBatch(environment, {
      open: async (_partition, _epoch, log) => ({
        startAt: log.committed ?? 0n,
        close: async () => {},
        handle: async (records) => {
          handled.push(...records.map(({ offset }) => offset));
          await new Promise<void>((resolve) => environment.time.after(lastsMs, resolve));
        },
      }),
    });
    await environment.until(() => handled.length > 0);
    environment.broker.rebalance("g");
    await environment.until(() => handled.length >= 57);
    expect(handled).toEqual([...new Set(handled)]);
    await environment.during(partitionConsumer.stop());
  });

  test("I3: what a batch consumer's handler keeps of its own is written before another member gets its partition [D10.40]", async () => {
    const environment = setup(64, { partitions: 2 });
    const steps: string[] = [];
    const open = (name: string) => async (partition: number) => {
      steps.push(`${name} opens ${partition}`);
      return {
        startAt: 0n,
        handle: async () => {},
        flush: async () => {
          await new Promise<void>((resolve) => environment.time.after(lastsMs, resolve));
          steps.push(`${name} has written ${partition}`);
        },
        close: async () => {},
      };
    };
    const first = await startBatch(environment, { open: open("first") });
    await environment.until(() => steps.length === 2);
    const second = await startBatch(environment, { open: open("second") }, environment.broker.client("d"));
    await environment.until(() => steps.some((step) => step.startsWith("second opens")));
    expect(steps.slice(2, 4).toSorted()).toEqual(["first has written 0", "first has written 1"]);
    await environment.during(first.partitionConsumer.stop());
    await environment.during(second.partitionConsumer.stop());
  });

  test("I16: work that does not end delays the others by five seconds and no more", async () => {
    const environment = setup(63, { partitions: 2 });
    await environment.append(["k"]);
    const started: bigint[] = [];
    const never = new Promise<void>(() => {});
    const first = await startKeyed(environment, {
      handle: ({ offset }) => {
        started.push(offset);
        return never;
      },
    });
    await environment.until(() => started.length > 0);
    const startMs = environment.time.monotonicMs();
    const second = await startKeyed(environment, { handle: () => Promise.resolve() }, environment.broker.client("d"));
    await environment.until(() => second.partitionConsumer.readiness().isReady);
    const heartbeatMs = 1_500;
    expect(environment.time.monotonicMs() - startMs).toBeLessThan(heartbeatMs + 5_000 + 100);
    expect(first.failures).toEqual([]);
  });
});

test("#8: a member whose join does not end is not ready, and says for how long it has joined", async () => {
  const environment = setup(5);
  const client = environment.broker.client("c");
  let isJoining = false;
  const hanging: typeof client = {
    ...client,
    consumer: async (consumed) => {
      const consumer = await client.consumer({
        ...consumed,
        handlers: {
          ...consumed.handlers,
          assigned: async (partition, epoch, log) => {
            end = () => consumed.handlers.revoked(partition, epoch);
            return await consumed.handlers.assigned(partition, epoch, log);
          },
        },
      });
      const assignedCount = consumer.assignedCount.bind(consumer);
      return Object.assign(consumer, { assignedCount: () => (isJoining ? null : assignedCount()) });
    },
  };
  let end = (): void => {};
  const { partitionConsumer } = await startKeyed(environment, { handle: () => Promise.resolve() }, hanging);
  await environment.until(() => partitionConsumer.readiness().isReady);
  isJoining = true;
  end();
  expect(partitionConsumer.readiness()).toMatchObject({ isReady: true, reasons: [] });
  await environment.time.advance(20_000);
  expect(partitionConsumer.readiness().isReady).toBe(true);
  await environment.time.advance(1_000);
  const { isReady, reasons } = partitionConsumer.readiness();
  expect([isReady, reasons]).toEqual([false, ["g: has joined its group for 21000 ms, and has no partition meanwhile"]]);
});

describe("a batch consumer", () => {
  test("#1: a partition's handler gets every record once, in order, at most batchRecordsMax at a time, in one call at a time", async () => {
    const environment = setup(1);
    await environment.append(numbered(57));
    const seen: bigint[] = [];
    let running = 0;
    const { partitionConsumer } = await startBatch(environment, {
      open: async () => ({
        startAt: 3n,
        close: async () => {},
        handle: async (records) => {
          running += 1;
          expect(running).toBe(1);
          expect(records.length).toBeLessThanOrEqual(10);
          await new Promise<void>((resolve) => environment.time.after(5, resolve));
          seen.push(...records.map(({ offset }) => offset));
          running -= 1;
        },
      }),
    });
    await environment.until(() => seen.length >= 54);
    expect(seen).toEqual(Array.from({ length: 54 }, (_, index) => BigInt(index + 3)));
    await environment.during(partitionConsumer.stop());
    expect(environment.broker.committedOffset("g", { topic, partition: 0 })).toBe(57n);
  });

  test("#2: after a retryable rejection the same records are handed over again, with a back-off; another one ends the consumer", async () => {
    const environment = setup(2);
    await environment.append(numbered(5));
    const calls: { atMs: number; offsets: bigint[] }[] = [];
    const { partitionConsumer, failures } = await startBatch(environment, {
      open: async () => ({
        startAt: 0n,
        close: async () => {},
        handle: async (records) => {
          calls.push({ atMs: environment.time.monotonicMs(), offsets: records.map(({ offset }) => offset) });
          if (calls.length < 4) throw retryable();
          if (records.some(({ offset }) => offset === 4n)) throw new Error("broken");
        },
      }),
    });
    await environment.until(() => calls.length === 3);
    expect(partitionConsumer.readiness().reasons).toEqual(["g: partition 0: handling is tried again: test.busy: busy"]);
    await environment.until(() => failures.length > 0);
    expect(calls[1]?.offsets).toEqual(calls[0]?.offsets);
    expect(calls[2]?.offsets).toEqual(calls[0]?.offsets);
    const gapsMs = calls.slice(1, 4).map((call, index) => call.atMs - (calls[index]?.atMs ?? 0));
    for (const [index, gapMs] of gapsMs.entries()) {
      expect(gapMs).toBeGreaterThanOrEqual(50 * 2 ** index);
      expect(gapMs).toBeLessThanOrEqual(100 * 2 ** index);
    }
    expect(failures.map(({ message }) => message)).toEqual(["broken"]);
    expect(partitionConsumer.readiness().isReady).toBe(false);
    await environment.during(partitionConsumer.stop());
  });

  test("#3: a partition is opened again only after its running handler has ended and its last epoch was closed", async () => {
    const environment = setup(3);
    await environment.append(numbered(5));
    const steps: string[] = [];
    const { partitionConsumer } = await startBatch(environment, {
      open: async (_partition, epoch) => {
        steps.push(`open ${epoch}`);
        return {
          startAt: 0n,
          close: async () => void steps.push(`close ${epoch}`),
          handle: async () => {
            steps.push(`handle ${epoch}`);
            await new Promise<void>((resolve) => environment.time.after(epoch === 1 ? 20_000 : 1, resolve));
            steps.push(`handled ${epoch}`);
          },
        };
      },
    });
    await environment.until(() => steps.includes("handle 1"));
    environment.broker.rebalance("g");
    await environment.until(() => steps.includes("handled 2"));
    expect(steps.slice(0, 6)).toEqual(["open 1", "handle 1", "handled 1", "close 1", "open 2", "handle 2"]);
    await environment.during(partitionConsumer.stop());
    expect(steps.at(-1)).toBe("close 2");
  });

  test("an opening that fails temporarily is retried and reported; one that fails for good ends the consumer", async () => {
    const environment = setup(4);
    let tries = 0;
    const { partitionConsumer, failures } = await startBatch(environment, {
      open: async () => {
        tries += 1;
        if (tries < 3) throw retryable();
        throw new Error("no");
      },
    });
    await environment.until(() => tries === 2);
    expect(partitionConsumer.readiness().reasons).toEqual(["g: partition 0: opening is tried again: test.busy: busy"]);
    await environment.until(() => failures.length === 1);
    expect(tries).toBe(3);
    await environment.during(partitionConsumer.stop());
  });

  test.each(["keyed", "batch"] as const)("an opening that waits hears that its assignment is over, and a stop ends: %s", async (kind) => {
    const environment = setup(31);
    const waits: AbortSignal[] = [];
    const untilOver = async (over: AbortSignal): Promise<never> => {
      waits.push(over);
      await new Promise<void>((resolve) => over.addEventListener("abort", () => resolve(), { once: true }));
      throw retryable();
    };
    const { partitionConsumer, failures } =
      kind === "keyed"
        ? await startKeyed(environment, { handle: async () => {}, startAt: (_partition, _epoch, _log, over) => untilOver(over) })
        : await startBatch(environment, { open: (_partition, _epoch, _log, over) => untilOver(over) });
    await environment.until(() => waits.length === 1);
    environment.broker.rebalance("g");
    await environment.until(() => waits.length === 2);
    expect(waits.map(({ aborted }) => aborted)).toEqual([true, false]);
    await environment.during(partitionConsumer.stop());
    expect([waits.map(({ aborted }) => aborted), failures]).toEqual([[true, true], []]);
  });

  test("a slow handler pauses its partition, so that the buffer is bounded, and all records are handled in the end", async () => {
    const environment = setup(5);
    await environment.append(numbered(2000));
    let handled = 0;
    let handedOverWhileFirst = 0;
    let received = 0;
    const observed = environment.broker.client("c");
    const consumer = observed.consumer.bind(observed);
    const counting = {
      ...observed,
      consumer: async (options: Parameters<typeof consumer>[0]) =>
        await consumer({
          ...options,
          handlers: {
            ...options.handlers,
            records: (partition, epoch, records) => {
              received += records.length;
              options.handlers.records(partition, epoch, records);
            },
          },
        }),
    };
    const { partitionConsumer } = await startBatch(
      environment,
      {
        open: async () => ({
          startAt: 0n,
          close: async () => {},
          handle: async (records) => {
            if (handled === 0) {
              await new Promise<void>((resolve) => environment.time.after(60_000, resolve));
              handedOverWhileFirst = received;
            }
            handled += records.length;
          },
        }),
      },
      counting,
    );
    await environment.until(() => handled === 2000);
    // 100 buffered records and one hand-over in flight.
    expect(handedOverWhileFirst).toBeLessThanOrEqual(200);
    await environment.during(partitionConsumer.stop());
  });

  test("stop waits for the running handler, commits finished work, and hands nothing more over", async () => {
    const environment = setup(6);
    await environment.append(numbered(50));
    let handled = 0n;
    const { partitionConsumer } = await startBatch(environment, {
      open: async () => ({
        startAt: 0n,
        close: async () => {},
        handle: async (records) => {
          await new Promise<void>((resolve) => environment.time.after(500, resolve));
          handled = (records.at(-1)?.offset ?? 0n) + 1n;
        },
      }),
    });
    await environment.until(() => handled > 0n);
    await environment.during(partitionConsumer.stop());
    expect(handled).toBeGreaterThan(0n);
    expect(handled).toBeLessThan(50n);
    expect(environment.broker.committedOffset("g", { topic, partition: 0 })).toBe(handled);
    await environment.during(partitionConsumer.stop());
  });
});

describe("a keyed consumer", () => {
  test("#6: a record is decoded when a handler is free; the next record of a decoded key comes before undecoded ones", async () => {
    const environment = setup(1);
    await environment.append(["a", "a", "b", "c", "d"]);
    const [read, handled]: [string[], string[]] = [[], []];
    const open: (() => void)[] = [];
    const { partitionConsumer } = await startKeyed(environment, {
      runningMax: 2,
      read: ({ offset, key }) => {
        read.push(`${offset}`);
        return { key: Buffer.from(key ?? []).toString(), content: null };
      },
      handle: async ({ offset }) => {
        handled.push(`${offset}`);
        await new Promise<void>((resolve) => open.push(resolve));
      },
    });
    await environment.until(() => handled.length === 2);
    expect(read).toEqual(["0", "1", "2"]);
    open.shift()?.();
    await environment.time.settle();
    expect(read).toEqual(["0", "1", "2"]);
    for (let ended = 0; ended < 4; ended += 1) {
      open.shift()?.();
      await environment.time.settle();
    }
    expect(handled).toEqual(["0", "2", "1", "3", "4"]);
    await environment.during(partitionConsumer.stop());
  });

  test("#1: records of one key are handled in order, one at a time, while other keys continue", async () => {
    const environment = setup(11);
    await environment.append(["a", "a", "a", "b", "b", "c"]);
    const order: string[] = [];
    const running = new Map<string, number>();
    const { partitionConsumer } = await startKeyed(environment, {
      handle: async (record) => {
        const key = Buffer.from(record.key ?? []).toString();
        running.set(key, (running.get(key) ?? 0) + 1);
        expect(running.get(key)).toBe(1);
        await new Promise<void>((resolve) => environment.time.after(key === "a" ? 1000 : 10, resolve));
        order.push(`${key}${record.offset}`);
        running.set(key, 0);
      },
    });
    await environment.until(() => order.length === 6);
    expect(order.filter((entry) => entry.startsWith("a"))).toEqual(["a0", "a1", "a2"]);
    expect(order.slice(0, 3)).toEqual(expect.arrayContaining(["b3", "b4", "c5"]));
    await environment.during(partitionConsumer.stop());
  });

  test("#2: at most runningMax handlers run in a partition, and a key in a back-off takes none of their slots", async () => {
    const environment = setup(12, { partitions: 2 });
    await environment.append([...numbered(30), "bad"], 0);
    await environment.append(["worse", ...numbered(30)], 1);
    const running = [0, 0];
    let most = 0;
    let done = 0;
    const triedAtMs: number[] = [];
    const { partitionConsumer } = await startKeyed(environment, {
      runningMax: 2,
      handle: async (record) => {
        running[record.partition] = (running[record.partition] ?? 0) + 1;
        most = Math.max(most, ...running);
        await new Promise<void>((resolve) => environment.time.after(5, resolve));
        running[record.partition] = (running[record.partition] ?? 0) - 1;
        const key = Buffer.from(record.key ?? []).toString();
        if (key === "bad") triedAtMs.push(environment.time.monotonicMs());
        if (key === "bad" || key === "worse") throw retryable();
        done += 1;
      },
    });
    await environment.until(() => done === 60);
    await environment.until(() => triedAtMs.length === 6);
    const gapsMs = triedAtMs.slice(1).map((atMs, index) => atMs - (triedAtMs[index] ?? 0));
    for (const [index, gapMs] of gapsMs.entries()) expect(gapMs).toBeGreaterThan(50 * 2 ** index);
    expect(most).toBe(2);
    expect(partitionConsumer.readiness().reasons.join()).toContain("keys are tried again: test.busy");
    await environment.during(partitionConsumer.stop());
  });

  test.each([
    ["a quiet partition writes it within 250 ms", 1, 10, 16],
    ["a busy partition writes it as often", 40, 10, 16],
    ["a partition that completes 512 records sooner writes it sooner", 400, 22, 80],
  ])("#3: the position: %s", async (_, recordsEach100Ms, least, most) => {
    const environment = setup(13);
    let writes = 0;
    const { partitionConsumer } = await startKeyed(environment, {
      handle: async () => {},
      writePosition: async () => {
        writes += 1;
      },
    });
    const come = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        await environment.append(numbered(recordsEach100Ms));
        await environment.time.advance(100);
      }
    };
    await come(10);
    const [before, fromMs] = [writes, environment.time.monotonicMs()];
    await come(40);
    const perFourSeconds = ((writes - before) * 4_000) / (environment.time.monotonicMs() - fromMs);
    expect(perFourSeconds).toBeGreaterThanOrEqual(least);
    expect(perFourSeconds).toBeLessThanOrEqual(most);
    await environment.during(partitionConsumer.stop());
  });

  test("#3: the position is the first incomplete record, whatever completed after it (parallel-consumer issue 826)", async () => {
    const environment = setup(13);
    await environment.append(["slow", ...numbered(20)]);
    const positions: bigint[] = [];
    let release = (): void => {};
    const slow = new Promise<void>((resolve) => (release = resolve));
    let done = 0;
    const { partitionConsumer } = await startKeyed(environment, {
      handle: async (record) => {
        if (record.offset === 0n) await slow;
        done += 1;
      },
      writePosition: async (_partition, _epoch, nextOffset) => void positions.push(nextOffset),
    });
    await environment.until(() => done === 20);
    await environment.time.advance(5000);
    expect(positions).toEqual([]);
    expect(environment.broker.committedOffset("g", { topic, partition: 0 })).toBe(null);
    release();
    await environment.until(() => positions.length > 0);
    expect(positions).toEqual([21n]);
    await environment.during(partitionConsumer.stop());
    expect(environment.broker.committedOffset("g", { topic, partition: 0 })).toBe(21n);
  });

  test("#3: the watermark advances over holes in the offsets", async () => {
    const environment = setup(14);
    await environment.append(["a", "b"]);
    environment.broker.skipOffset({ topic, partition: 0 });
    await environment.append(["c"]);
    environment.broker.skipOffset({ topic, partition: 0 });
    const positions: bigint[] = [];
    const { partitionConsumer } = await startKeyed(environment, {
      handle: async () => {},
      writePosition: async (_partition, _epoch, nextOffset) => void positions.push(nextOffset),
    });
    await environment.until(() => positions.at(-1) === 4n);
    await environment.during(partitionConsumer.stop());
    expect(environment.broker.committedOffset("g", { topic, partition: 0 })).toBe(4n);
  });

  test("#4: a completion after the end of its epoch moves nothing, and the next epoch inherits nothing (issue 909)", async () => {
    const environment = setup(15);
    await environment.append(["a", "b"]);
    const positions: [number, bigint][] = [];
    const handled: [number, bigint][] = [];
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const closed: number[] = [];
    let lateIsCurrent: boolean | null = null;
    const { partitionConsumer } = await startKeyed(environment, {
      handle: async (record, worker) => {
        handled.push([worker.epoch, record.offset]);
        if (worker.epoch !== 1) return;
        await held;
        lateIsCurrent = worker.isCurrent();
      },
      writePosition: async (_partition, epoch, nextOffset) => void positions.push([epoch, nextOffset]),
      closed: (_partition, epoch) => void closed.push(epoch),
    });
    await environment.until(() => handled.length === 2);
    environment.broker.rebalance("g");
    await environment.until(() => handled.length === 4);
    expect(closed).toEqual([1]);
    release();
    await environment.time.advance(1000);
    expect(lateIsCurrent).toBe(false);
    expect(positions).toEqual([[2, 2n]]);
    await environment.during(partitionConsumer.stop());
    expect(closed).toEqual([1, 2]);
  });

  test("#3: a position write or a commit that fails is retried and stops nothing (parallel-consumer issue 857)", async () => {
    const environment = setup(16);
    await environment.append(numbered(3));
    let tries = 0;
    const { partitionConsumer, failures } = await startKeyed(environment, {
      handle: async () => {},
      writePosition: async () => {
        tries += 1;
        if (tries < 4) throw retryable();
      },
    });
    await environment.until(() => tries === 2);
    expect(partitionConsumer.readiness().reasons).toEqual(["g: partition 0: the position cannot be written"]);
    await environment.append(numbered(3));
    await environment.until(() => environment.broker.committedOffset("g", { topic, partition: 0 }) === 6n);
    expect(failures).toEqual([]);
    await environment.during(partitionConsumer.stop());
  });

  test("#5: with every handler stuck, the received records are bounded (parallel-consumer issue 832)", async () => {
    const handedOver: string[] = [];
    const hooks: MemoryHooks = { observe: (_client, operation, key) => void (operation === "record" && handedOver.push(key)) };
    const environment = setup(17, { hooks });
    await environment.append(numbered(2000));
    let release = (): void => {};
    const stuck = new Promise<void>((resolve) => (release = resolve));
    let done = 0;
    const { partitionConsumer } = await startKeyed(environment, {
      handle: async () => {
        await stuck;
        done += 1;
      },
    });
    await environment.time.advance(60_000);
    expect(handedOver.length).toBeLessThanOrEqual(200);
    expect(handedOver.length).toBeGreaterThan(0);
    release();
    await environment.until(() => done === 2000);
    await environment.during(partitionConsumer.stop());
  });

  test("a rejection that is not retryable ends the consumer once", async () => {
    const environment = setup(18);
    await environment.append(numbered(9));
    const { partitionConsumer, failures } = await startKeyed(environment, { handle: async () => Promise.reject(new Error("broken")) });
    await environment.until(() => failures.length > 0);
    await environment.time.advance(10_000);
    expect(failures).toHaveLength(1);
    await environment.during(partitionConsumer.stop());
  });

  test("drain finishes running work, leaves waiting work, and writes the position before the consumer leaves the group", async () => {
    const environment = setup(19);
    await environment.append(["a", "b", "a", "b"]);
    const positions: bigint[] = [];
    let started = 0;
    const { partitionConsumer } = await startKeyed(environment, {
      handle: async () => {
        started += 1;
        await new Promise<void>((resolve) => environment.time.after(300, resolve));
      },
      writePosition: async (_partition, _epoch, nextOffset) => void positions.push(nextOffset),
    });
    await environment.until(() => started === 2);
    await environment.during(partitionConsumer.stop());
    expect(started).toBe(2);
    expect(positions.at(-1)).toBe(2n);
    expect(environment.broker.committedOffset("g", { topic, partition: 0 })).toBe(2n);
  });

  test("I3: a drain tries a position write that fails again, so that the next owner repeats nothing [D10.40]", async () => {
    const environment = setup(20);
    await environment.append(["a"]);
    const positions: bigint[] = [];
    let failing = 0;
    const { partitionConsumer, failures } = await startKeyed(environment, {
      handle: async () => {},
      writePosition: async (_partition, _epoch, nextOffset) => {
        if (failing > 0) {
          failing -= 1;
          throw retryable();
        }
        positions.push(nextOffset);
      },
    });
    await environment.until(() => positions.length === 1);
    await environment.append(["b"]);
    failing = 2;
    await environment.until(() => environment.time.nowMs() > 0 && failing === 1);
    await environment.during(partitionConsumer.stop());
    expect([positions.at(-1), failures]).toEqual([2n, []]);
  });

  test("I16: a drain gives a position up that the store does not take", async () => {
    const environment = setup(21);
    await environment.append(["a"]);
    let tries = 0;
    const { partitionConsumer } = await startKeyed(environment, {
      handle: async () => {},
      writePosition: async () => {
        tries += 1;
        throw retryable();
      },
    });
    await environment.until(() => tries > 0);
    const sinceMs = environment.time.nowMs();
    await environment.during(partitionConsumer.stop());
    expect(environment.time.nowMs() - sinceMs).toBeLessThan(2_500);
  });

  test("over 50 seeds of rebalances, kills and late answers no record is skipped and the position never passes an incomplete one", async () => {
    for (let seed = 100; seed < 150; seed += 1) {
      const environment = setup(seed, { partitions: 3 });
      const done = new Set<string>();
      const options = {
        startAt: async (partition: number) => environment.broker.committedOffset("g", { topic, partition }) ?? 0n,
        handle: async (record: { partition: number; offset: bigint }) => {
          await new Promise<void>((resolve) => environment.time.after(environment.random.fraction() * 50, resolve));
          if (environment.random.fraction() < 0.1) throw retryable();
          done.add(`${record.partition}@${record.offset}`);
        },
        writePosition: async (partition: number, _epoch: number, nextOffset: bigint) => {
          for (let offset = 0n; offset < nextOffset; offset += 1n) expect(done.has(`${partition}@${offset}`)).toBe(true);
        },
      };
      const first = await startKeyed(environment, options, environment.broker.client("one"));
      const second = await startKeyed(environment, options, environment.broker.client("two"));
      for (let partition = 0; partition < 3; partition += 1) await environment.append([...numbered(40), ...numbered(40)], partition);
      await environment.time.advance(environment.random.fraction() * 2000);
      environment.broker.rebalance("g");
      await environment.time.advance(environment.random.fraction() * 4000);
      first.client.kill();
      await environment.until(() => [0, 1, 2].every((partition) => environment.broker.committedOffset("g", { topic, partition }) === 80n));
      expect(done.size).toBe(240);
      await environment.during(second.partitionConsumer.stop());
    }
  });
});
