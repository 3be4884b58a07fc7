// Partitions fail apart in what a consumer says of itself, too.

import { Fault, silentLogger } from "@sluice/kernel";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createMemoryBroker } from "../memory/messaging.ts";
import type { ReceivedRecord } from "../port.ts";
import { createBatchConsumer } from "./batch-consumer.ts";
import { createKeyedConsumer } from "./keyed-consumer.ts";

const topic = "t";
const busy = (): Fault => new Fault("test.busy", "busy", { isRetryable: true });

/** A consumer of three partitions, with a record in each; those in `failing` cannot be handled. */
async function given(kind: "batch" | "keyed") {
  const time = createVirtualTime({ startAtMs: 1_800_000_000_000, seed: 5 });
  const random = seededRandom(5);
  const broker = createMemoryBroker({ time, random, topics: { [topic]: 3 } });
  const failing = new Set<number>();
  const foreign = new Map<number, string>();
  const opening = { isSlow: false, from: 2 };
  const troubled = new Map<string, number>();
  const during = time.finish;
  const handle = async ({ partition }: Pick<ReceivedRecord, "partition">): Promise<void> => {
    if (failing.has(partition)) throw busy();
  };
  const opened = async (partition: number): Promise<void> => {
    if (opening.isSlow && partition >= opening.from) await new Promise<void>((resolve) => time.after(10_000, resolve));
  };
  const shared = {
    messaging: broker.client("c"),
    group: "g",
    topic,
    bufferedRecordsMax: 100,
    time,
    random,
    logger: silentLogger,
    metrics: {
      listed: () => {},
      gauge: (name: string) => ({
        set(value: number, labels = {}) {
          if (name === "sluice_partition_troubled") troubled.set(Object.values(labels).join("/"), value);
        },
      }),
    },
    operatorSkips: { findBatchRequest: () => Promise.resolve(null) },
    troubleOf: (partition: number) => foreign.get(partition) ?? null,
    fail: (reason: Error) => expect.unreachable(reason.message),
  };
  const start = async () =>
    await during(
      kind === "batch"
        ? createBatchConsumer({
            ...shared,
            batchRecordsMax: 10,
            async open(partition) {
              await opened(partition);
              return { startAt: 0n, close: async () => {}, handle: async ([record]) => await handle(record!) };
            },
          })
        : createKeyedConsumer({
            ...shared,
            runningMax: 8,
            async startAt(partition) {
              await opened(partition);
              return 0n;
            },
            read: ({ offset }) => ({ key: `@${offset}`, content: null }),
            handle,
          }),
    );
  async function append(): Promise<void> {
    const producer = await during(broker.producer("p"));
    await during(producer.send([0, 1, 2].map((partition) => ({ topic, partition, key: null, value: new Uint8Array([1]), headers: {} }))));
  }
  return { time, broker, failing, foreign, opening, troubled, start, append, during };
}

test.for(["batch", "keyed"] as const)(
  "I14: a %s consumer is ready while it works on some partition, and its reasons and a gauge name the others [D10.77]",
  async (kind) => {
    const { time, failing, foreign, troubled, start, append, during } = await given(kind);
    failing.add(1);
    await append();
    const consumer = await start();
    await time.advance(10_000);
    const { isReady, reasons } = consumer.readiness();
    expect([isReady, reasons.length, reasons[0]]).toEqual([true, 1, expect.stringMatching(/^g: partition 1: .*test\.busy/)]);
    expect([...troubled]).toEqual([
      ["t/0", 0],
      ["t/1", 1],
      ["t/2", 0],
    ]);
    foreign.set(0, "another owner came between").set(2, "a write is tried again");
    expect(consumer.readiness()).toMatchObject({ isReady: false, reasons: { length: 3 } });
    failing.clear();
    foreign.clear();
    await time.advance(60_000);
    expect(consumer.readiness()).toMatchObject({ isReady: true, reasons: [] });
    expect([...troubled.values()]).toEqual([0, 0, 0]);
    await during(consumer.stop());
  },
);

test.for(["batch", "keyed"] as const)(
  "a %s consumer that still opens a partition is not ready: an update waits for the take-over of all",
  async (kind) => {
    const { time, opening, start, during } = await given(kind);
    opening.isSlow = true;
    const consumer = await start();
    await time.advance(5_000);
    expect(consumer.readiness()).toMatchObject({ isReady: false, reasons: ["g: partition 2: not yet open"] });
    await time.advance(10_000);
    expect(consumer.readiness()).toMatchObject({ isReady: true, reasons: [] });
    await during(consumer.stop());
  },
);

test.for(["batch", "keyed"] as const)(
  "a %s consumer that has partitions and does not know yet where they end is not ready, and is once it works on one",
  async (kind) => {
    const { time, broker, start, during } = await given(kind);
    for (const partition of [0, 1, 2]) broker.setLeader({ topic, partition }, false);
    const consumer = await start();
    await time.advance(5_000);
    expect(consumer.readiness()).toMatchObject({ isReady: false, reasons: ["g: no partition is open yet"] });
    broker.setLeader({ topic, partition: 1 }, true);
    await time.advance(5_000);
    expect(consumer.readiness()).toMatchObject({ isReady: true, reasons: [] });
    await during(consumer.stop());
  },
);

test.for(["batch", "keyed"] as const)(
  "a %s consumer that gives up its partitions before it has opened one is not ready while it joins again",
  async (kind) => {
    const { time, broker, opening, start, during } = await given(kind);
    Object.assign(opening, { isSlow: true, from: 0 });
    const consumers = [await start(), await start()];
    for (let joins = 0; joins < 20; joins += 1) {
      broker.rebalance("g");
      for (let looks = 0; looks < 100; looks += 1) {
        await time.advance(10);
        expect(consumers.map((consumer) => consumer.readiness().isReady)).toEqual([false, false]);
      }
    }
    await time.advance(60_000);
    expect(consumers.map((consumer) => consumer.readiness().isReady)).toEqual([true, true]);
    for (const consumer of consumers) await during(consumer.stop());
  },
);
