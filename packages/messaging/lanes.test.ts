import { Fault } from "@sluice/runtime";
import { silentLog } from "@sluice/telemetry";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { describe, expect, test } from "vitest";
import type { BatchLanesOptions } from "./batch-lanes.ts";
import { createBatchLanes } from "./batch-lanes.ts";
import type { KeyedLanesOptions } from "./keyed-lanes.ts";
import { createKeyedLanes } from "./keyed-lanes.ts";
import type { MemoryHooks } from "./memory-messaging.ts";
import { createMemoryLog } from "./memory-messaging.ts";

const topic = "t";
const retryable = (): Fault => new Fault("test.busy", "busy", { isRetryable: true });

function setup(seed: number, options: { partitions?: number; hooks?: MemoryHooks } = {}) {
  const time = createVirtualTime({ startAtMs: 1_800_000_000_000, seed });
  const random = seededRandom(seed);
  const log = createMemoryLog({
    time,
    random,
    topics: { [topic]: options.partitions ?? 1 },
    ...(options.hooks && { hooks: options.hooks }),
  });
  const shared = { group: "g", topic, bufferedRecordsMax: 100, time, random, log: silentLog };
  async function append(keys: readonly string[], partition = 0): Promise<void> {
    const producer = await during(log.producer("p"));
    const records = keys.map((key) => ({ topic, partition, key: Buffer.from(key), value: Buffer.from(key), headers: {} }));
    await during(producer.send(records));
  }
  /** Runs the clock until the promise settles. */
  async function during<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => void (isSettled = true);
    promise.then(settle, settle);
    await time.run({ until: () => isSettled, stepsMax: 100_000 });
    return await promise;
  }
  async function until(condition: () => boolean): Promise<void> {
    const end = await time.run({ until: condition, stepsMax: 100_000, untilMs: time.nowMs() + 600_000 });
    expect(end.because).toBe("until");
  }
  return { time, random, log, shared, append, during, until };
}

type World = ReturnType<typeof setup>;

async function startBatch(
  world: World,
  options: Partial<BatchLanesOptions> & Pick<BatchLanesOptions, "open">,
  client = world.log.client("c"),
) {
  const failures: Error[] = [];
  const base = { ...world.shared, messaging: client, batchRecordsMax: 10, failed: (reason: Error) => void failures.push(reason) };
  const lanes = await world.during(createBatchLanes({ ...base, ...options }));
  return { lanes, failures, client };
}

async function startKeyed(
  world: World,
  options: Partial<KeyedLanesOptions<null>> & Pick<KeyedLanesOptions<null>, "handle">,
  client = world.log.client("c"),
) {
  const failures: Error[] = [];
  const base = {
    ...world.shared,
    messaging: client,
    runningMax: 8,
    startAt: async () => 0n,
    read: (record: { key: Uint8Array | null }) => ({ key: Buffer.from(record.key ?? []).toString(), content: null }),
    failed: (reason: Error) => void failures.push(reason),
  };
  const lanes = await world.during(createKeyedLanes({ ...base, ...options }));
  return { lanes, failures, client };
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `k${index}`);

describe("batch lanes", () => {
  test("#1: a lane's handler gets every record once, in order, at most batchRecordsMax, never two calls at a time", async () => {
    const world = setup(1);
    await world.append(numbered(57));
    const seen: bigint[] = [];
    let running = 0;
    const { lanes } = await startBatch(world, {
      open: async () => ({
        startAt: 3n,
        close: async () => {},
        handle: async (records) => {
          running += 1;
          expect(running).toBe(1);
          expect(records.length).toBeLessThanOrEqual(10);
          await new Promise<void>((resolve) => world.time.after(5, resolve));
          seen.push(...records.map(({ offset }) => offset));
          running -= 1;
        },
      }),
    });
    await world.until(() => seen.length >= 54);
    expect(seen).toEqual(Array.from({ length: 54 }, (_, index) => BigInt(index + 3)));
    await world.during(lanes.stop());
    expect(world.log.committed("g", { topic, partition: 0 })).toBe(57n);
  });

  test("#2: a retryable rejection hands the same records over again, after a back-off; another one fails the lanes", async () => {
    const world = setup(2);
    await world.append(numbered(5));
    const calls: { atMs: number; offsets: bigint[] }[] = [];
    const { lanes, failures } = await startBatch(world, {
      open: async () => ({
        startAt: 0n,
        close: async () => {},
        handle: async (records) => {
          calls.push({ atMs: world.time.monotonicMs(), offsets: records.map(({ offset }) => offset) });
          if (calls.length < 4) throw retryable();
          if (records.some(({ offset }) => offset === 4n)) throw new Error("broken");
        },
      }),
    });
    await world.until(() => calls.length === 3);
    expect(lanes.readiness().reasons).toEqual(["g: lane 0: handling is tried again: test.busy"]);
    await world.until(() => failures.length > 0);
    expect(calls[1]?.offsets).toEqual(calls[0]?.offsets);
    expect(calls[2]?.offsets).toEqual(calls[0]?.offsets);
    const gapsMs = calls.slice(1, 4).map((call, index) => call.atMs - (calls[index]?.atMs ?? 0));
    for (const [index, gapMs] of gapsMs.entries()) {
      expect(gapMs).toBeGreaterThanOrEqual(50 * 2 ** index);
      expect(gapMs).toBeLessThanOrEqual(100 * 2 ** index);
    }
    expect(failures.map(({ message }) => message)).toEqual(["broken"]);
    expect(lanes.readiness().isReady).toBe(false);
    await world.during(lanes.stop());
  });

  test("#3: a partition is opened again only after its running handler ended and its last epoch was closed", async () => {
    const world = setup(3);
    await world.append(numbered(5));
    const steps: string[] = [];
    const { lanes } = await startBatch(world, {
      open: async (_partition, epoch) => {
        steps.push(`open ${epoch}`);
        return {
          startAt: 0n,
          close: async () => void steps.push(`close ${epoch}`),
          handle: async () => {
            steps.push(`handle ${epoch}`);
            await new Promise<void>((resolve) => world.time.after(epoch === 1 ? 20_000 : 1, resolve));
            steps.push(`handled ${epoch}`);
          },
        };
      },
    });
    await world.until(() => steps.includes("handle 1"));
    world.log.rebalance("g");
    await world.until(() => steps.includes("handled 2"));
    expect(steps.slice(0, 6)).toEqual(["open 1", "handle 1", "handled 1", "close 1", "open 2", "handle 2"]);
    await world.during(lanes.stop());
    expect(steps.at(-1)).toBe("close 2");
  });

  test("an opening that fails for a while is tried again and the lane says so; one that fails for good ends the lanes", async () => {
    const world = setup(4);
    let tries = 0;
    const { lanes, failures } = await startBatch(world, {
      open: async () => {
        tries += 1;
        if (tries < 3) throw retryable();
        throw new Error("no");
      },
    });
    await world.until(() => tries === 2);
    expect(lanes.readiness().reasons).toEqual(["g: lane 0: opening is tried again: test.busy"]);
    await world.until(() => failures.length === 1);
    expect(tries).toBe(3);
    await world.during(lanes.stop());
  });

  test("a slow handler pauses its partition, so that what is buffered has a bound, and all records come in the end", async () => {
    const world = setup(5);
    await world.append(numbered(2000));
    let handled = 0;
    let handedOverWhileFirst = 0;
    let received = 0;
    const observed = world.log.client("c");
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
    const { lanes } = await startBatch(
      world,
      {
        open: async () => ({
          startAt: 0n,
          close: async () => {},
          handle: async (records) => {
            if (handled === 0) {
              await new Promise<void>((resolve) => world.time.after(60_000, resolve));
              handedOverWhileFirst = received;
            }
            handled += records.length;
          },
        }),
      },
      counting,
    );
    await world.until(() => handled === 2000);
    // 100 buffered and one hand-over that was under way.
    expect(handedOverWhileFirst).toBeLessThanOrEqual(200);
    await world.during(lanes.stop());
  });

  test("stop waits for the running handler, commits what is done, and hands nothing more over", async () => {
    const world = setup(6);
    await world.append(numbered(50));
    let handled = 0n;
    const { lanes } = await startBatch(world, {
      open: async () => ({
        startAt: 0n,
        close: async () => {},
        handle: async (records) => {
          await new Promise<void>((resolve) => world.time.after(500, resolve));
          handled = (records.at(-1)?.offset ?? 0n) + 1n;
        },
      }),
    });
    await world.until(() => handled > 0n);
    await world.during(lanes.stop());
    expect(handled).toBeGreaterThan(0n);
    expect(handled).toBeLessThan(50n);
    expect(world.log.committed("g", { topic, partition: 0 })).toBe(handled);
    await world.during(lanes.stop());
  });
});

describe("keyed lanes", () => {
  test("#7: a record is read when a handler has room; what follows a record of its key comes before what was not read yet", async () => {
    const world = setup(1);
    await world.append(["a", "a", "b", "c", "d"]);
    const [read, handled]: [string[], string[]] = [[], []];
    const open: (() => void)[] = [];
    const { lanes } = await startKeyed(world, {
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
    await world.until(() => handled.length === 2);
    expect(read).toEqual(["0", "1", "2"]);
    open.shift()?.();
    await world.time.settle();
    expect(read).toEqual(["0", "1", "2"]);
    for (let ended = 0; ended < 4; ended += 1) {
      open.shift()?.();
      await world.time.settle();
    }
    expect(handled).toEqual(["0", "2", "1", "3", "4"]);
    await world.during(lanes.stop());
  });

  test("#1: records of one key are handled in order, one at a time; other keys go on meanwhile", async () => {
    const world = setup(11);
    await world.append(["a", "a", "a", "b", "b", "c"]);
    const order: string[] = [];
    const running = new Map<string, number>();
    const { lanes } = await startKeyed(world, {
      handle: async (record) => {
        const key = Buffer.from(record.key ?? []).toString();
        running.set(key, (running.get(key) ?? 0) + 1);
        expect(running.get(key)).toBe(1);
        await new Promise<void>((resolve) => world.time.after(key === "a" ? 1000 : 10, resolve));
        order.push(`${key}${record.offset}`);
        running.set(key, 0);
      },
    });
    await world.until(() => order.length === 6);
    expect(order.filter((entry) => entry.startsWith("a"))).toEqual(["a0", "a1", "a2"]);
    expect(order.slice(0, 3)).toEqual(expect.arrayContaining(["b3", "b4", "c5"]));
    await world.during(lanes.stop());
  });

  test("#2: at most runningMax handlers run in a lane, and a key in a back-off takes no place among them", async () => {
    const world = setup(12, { partitions: 2 });
    await world.append([...numbered(30), "bad"], 0);
    await world.append(["worse", ...numbered(30)], 1);
    const running = [0, 0];
    let most = 0;
    let done = 0;
    const triedAtMs: number[] = [];
    const { lanes } = await startKeyed(world, {
      runningMax: 2,
      handle: async (record) => {
        running[record.partition] = (running[record.partition] ?? 0) + 1;
        most = Math.max(most, ...running);
        await new Promise<void>((resolve) => world.time.after(5, resolve));
        running[record.partition] = (running[record.partition] ?? 0) - 1;
        const key = Buffer.from(record.key ?? []).toString();
        if (key === "bad") triedAtMs.push(world.time.monotonicMs());
        if (key === "bad" || key === "worse") throw retryable();
        done += 1;
      },
    });
    await world.until(() => done === 60);
    await world.until(() => triedAtMs.length === 6);
    const gapsMs = triedAtMs.slice(1).map((atMs, index) => atMs - (triedAtMs[index] ?? 0));
    for (const [index, gapMs] of gapsMs.entries()) expect(gapMs).toBeGreaterThan(50 * 2 ** index);
    expect(most).toBe(2);
    expect(lanes.readiness().reasons.join()).toContain("keys are tried again: test.busy");
    await world.during(lanes.stop());
  });

  test.each([
    ["a quiet lane writes it within 200 ms", 1, 15, 21],
    ["a busy one once a second", 40, 3, 6],
  ])("#3: of the position: %s", async (_, recordsEach100Ms, least, most) => {
    const world = setup(13);
    let writes = 0;
    const { lanes } = await startKeyed(world, {
      handle: async () => {},
      position: async () => {
        writes += 1;
      },
    });
    const come = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        await world.append(numbered(recordsEach100Ms));
        await world.time.advance(100);
      }
    };
    await come(10);
    const [before, fromMs] = [writes, world.time.monotonicMs()];
    await come(40);
    const perFourSeconds = ((writes - before) * 4_000) / (world.time.monotonicMs() - fromMs);
    expect(perFourSeconds).toBeGreaterThanOrEqual(least);
    expect(perFourSeconds).toBeLessThanOrEqual(most);
    await world.during(lanes.stop());
  });

  test("#3: the position is the first record not completed, whatever completed after it (parallel-consumer issue 826)", async () => {
    const world = setup(13);
    await world.append(["slow", ...numbered(20)]);
    const positions: bigint[] = [];
    let release = (): void => {};
    const slow = new Promise<void>((resolve) => (release = resolve));
    let done = 0;
    const { lanes } = await startKeyed(world, {
      handle: async (record) => {
        if (record.offset === 0n) await slow;
        done += 1;
      },
      position: async (_partition, _epoch, nextOffset) => void positions.push(nextOffset),
    });
    await world.until(() => done === 20);
    await world.time.advance(5000);
    expect(positions).toEqual([]);
    expect(world.log.committed("g", { topic, partition: 0 })).toBe(null);
    release();
    await world.until(() => positions.length > 0);
    expect(positions).toEqual([21n]);
    await world.during(lanes.stop());
    expect(world.log.committed("g", { topic, partition: 0 })).toBe(21n);
  });

  test("#3: the watermark walks over holes in the offsets", async () => {
    const world = setup(14);
    await world.append(["a", "b"]);
    world.log.skipOffset({ topic, partition: 0 });
    await world.append(["c"]);
    world.log.skipOffset({ topic, partition: 0 });
    const positions: bigint[] = [];
    const { lanes } = await startKeyed(world, {
      handle: async () => {},
      position: async (_partition, _epoch, nextOffset) => void positions.push(nextOffset),
    });
    await world.until(() => positions.at(-1) === 4n);
    await world.during(lanes.stop());
    expect(world.log.committed("g", { topic, partition: 0 })).toBe(4n);
  });

  test("#4: what completes after its epoch is over moves nothing, and the next epoch starts with nothing of it (issue 909)", async () => {
    const world = setup(15);
    await world.append(["a", "b"]);
    const positions: [number, bigint][] = [];
    const handled: [number, bigint][] = [];
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const closed: number[] = [];
    let lateIsCurrent: boolean | null = null;
    const { lanes } = await startKeyed(world, {
      handle: async (record, lane) => {
        handled.push([lane.epoch, record.offset]);
        if (lane.epoch !== 1) return;
        await held;
        lateIsCurrent = lane.isCurrent();
      },
      position: async (_partition, epoch, nextOffset) => void positions.push([epoch, nextOffset]),
      closed: (_partition, epoch) => void closed.push(epoch),
    });
    await world.until(() => handled.length === 2);
    world.log.rebalance("g");
    await world.until(() => handled.length === 4);
    expect(closed).toEqual([1]);
    release();
    await world.time.advance(1000);
    expect(lateIsCurrent).toBe(false);
    expect(positions).toEqual([[2, 2n]]);
    await world.during(lanes.stop());
    expect(closed).toEqual([1, 2]);
  });

  test("#5: a position or a commit that fails is tried again and stops nothing (parallel-consumer issue 857)", async () => {
    const world = setup(16);
    await world.append(numbered(3));
    let tries = 0;
    const { lanes, failures } = await startKeyed(world, {
      handle: async () => {},
      position: async () => {
        tries += 1;
        if (tries < 4) throw retryable();
      },
    });
    await world.until(() => tries === 2);
    expect(lanes.readiness().reasons).toEqual(["g: lane 0: the position cannot be written"]);
    await world.append(numbered(3));
    await world.until(() => world.log.committed("g", { topic, partition: 0 }) === 6n);
    expect(failures).toEqual([]);
    await world.during(lanes.stop());
  });

  test("#6: with every handler stuck, what is received has a bound (parallel-consumer issue 832)", async () => {
    const handedOver: string[] = [];
    const hooks: MemoryHooks = { observe: (_client, operation, key) => void (operation === "record" && handedOver.push(key)) };
    const world = setup(17, { hooks });
    await world.append(numbered(2000));
    let release = (): void => {};
    const stuck = new Promise<void>((resolve) => (release = resolve));
    let done = 0;
    const { lanes } = await startKeyed(world, {
      handle: async () => {
        await stuck;
        done += 1;
      },
    });
    await world.time.advance(60_000);
    expect(handedOver.length).toBeLessThanOrEqual(200);
    expect(handedOver.length).toBeGreaterThan(0);
    release();
    await world.until(() => done === 2000);
    await world.during(lanes.stop());
  });

  test("a rejection that is not retryable fails the lanes once", async () => {
    const world = setup(18);
    await world.append(numbered(9));
    const { lanes, failures } = await startKeyed(world, { handle: async () => Promise.reject(new Error("broken")) });
    await world.until(() => failures.length > 0);
    await world.time.advance(10_000);
    expect(failures).toHaveLength(1);
    await world.during(lanes.stop());
  });

  test("drain finishes what runs, leaves what waits, and writes the position before the group is left", async () => {
    const world = setup(19);
    await world.append(["a", "b", "a", "b"]);
    const positions: bigint[] = [];
    let started = 0;
    const { lanes } = await startKeyed(world, {
      handle: async () => {
        started += 1;
        await new Promise<void>((resolve) => world.time.after(300, resolve));
      },
      position: async (_partition, _epoch, nextOffset) => void positions.push(nextOffset),
    });
    await world.until(() => started === 2);
    await world.during(lanes.stop());
    expect(started).toBe(2);
    expect(positions.at(-1)).toBe(2n);
    expect(world.log.committed("g", { topic, partition: 0 })).toBe(2n);
  });

  test("over 50 seeds of rebalances, kills and late answers no record is skipped and the position never passes one not done", async () => {
    for (let seed = 100; seed < 150; seed += 1) {
      const world = setup(seed, { partitions: 3 });
      const done = new Set<string>();
      const options = {
        startAt: async (partition: number) => world.log.committed("g", { topic, partition }) ?? 0n,
        handle: async (record: { partition: number; offset: bigint }) => {
          await new Promise<void>((resolve) => world.time.after(world.random.fraction() * 50, resolve));
          if (world.random.fraction() < 0.1) throw retryable();
          done.add(`${record.partition}@${record.offset}`);
        },
        position: async (partition: number, _epoch: number, nextOffset: bigint) => {
          for (let offset = 0n; offset < nextOffset; offset += 1n) expect(done.has(`${partition}@${offset}`)).toBe(true);
        },
      };
      const first = await startKeyed(world, options, world.log.client("one"));
      const second = await startKeyed(world, options, world.log.client("two"));
      for (let partition = 0; partition < 3; partition += 1) await world.append([...numbered(40), ...numbered(40)], partition);
      await world.time.advance(world.random.fraction() * 2000);
      world.log.rebalance("g");
      await world.time.advance(world.random.fraction() * 4000);
      first.client.kill();
      await world.until(() => [0, 1, 2].every((partition) => world.log.committed("g", { topic, partition }) === 80n));
      expect(done.size).toBe(240);
      await world.during(second.lanes.stop());
    }
  });
});
