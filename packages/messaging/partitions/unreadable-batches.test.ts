// What a partition consumer does at a batch that cannot be read: it stops that partition alone, says which batch, and
// goes on once the batch can be read or an operator skips it.

import { silentLogger } from "@sluice/kernel";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createMemoryBroker } from "../memory/messaging.ts";
import type { ReceivedRecord, SkipRequest, UnreadableBatch } from "../port.ts";
import { createBatchConsumer } from "./batch-consumer.ts";
import { createKeyedConsumer } from "./keyed-consumer.ts";

const topic = "t";
const place = { topic, partition: 0 };
const damaged = { firstOffset: 2n, lastOffset: 4n, reason: "checksum", areKeysKnown: true } as const;
const by: SkipRequest = { operator: "thandi", person: "thandi", confirmedBy: "sipho", actionId: "skip-1", reason: "ticket 4711" };

/** Seven records in partition 0, of which 2 to 4 cannot be read, and three in partition 1. */
async function given(kind: "batch" | "keyed") {
  const time = createVirtualTime({ startAtMs: 1_800_000_000_000, seed: 7 });
  const random = seededRandom(7);
  const broker = createMemoryBroker({ time, random, topics: { [topic]: 2 } });
  const until = async (condition: () => boolean): Promise<void> => {
    const end = await time.run({ until: condition, stepsMax: 100_000, untilMs: time.nowMs() + 120_000 });
    expect(end.because).toBe("until");
  };
  const during = time.finish;
  const producer = await during(broker.producer("p"));
  const records = [0, 0, 0, 0, 0, 0, 0, 1, 1, 1].map((partition, index) => ({
    topic,
    partition,
    key: Buffer.from(`k${partition}${index % 2}`),
    value: Buffer.from(`v${index}`),
    headers: {},
  }));
  await during(producer.send(records));
  broker.breakBatch(place, damaged);

  const handled: ReceivedRecord[] = [];
  const failures: Error[] = [];
  const asked: UnreadableBatch[] = [];
  const gauge = new Map<string, number>();
  let request: SkipRequest | null = null;
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
          if (name === "sluice_partition_unreadable_batches") gauge.set(Object.values(labels).join("/"), value);
        },
      }),
    },
    operatorSkips: {
      findBatchRequest: (batch: UnreadableBatch) => {
        asked.push(batch);
        return Promise.resolve(request);
      },
    },
    fail: (reason: Error) => void failures.push(reason),
  };
  const consumer = await during(
    kind === "batch"
      ? createBatchConsumer({
          ...shared,
          batchRecordsMax: 10,
          open: async () => ({ startAt: 0n, close: async () => {}, handle: async (some) => void handled.push(...some) }),
        })
      : createKeyedConsumer({
          ...shared,
          runningMax: 8,
          startAt: async () => 0n,
          read: ({ key, offset }) => ({ key: key === null ? `@${offset}` : Buffer.from(key).toString(), content: null }),
          handle: async (record) => void handled.push(record),
        }),
  );
  const offsets = (partition: number) => handled.filter((record) => record.partition === partition).map(({ offset }) => offset);
  const skip = (): void => void (request = by);
  return { broker, consumer, handled, failures, asked, gauge, offsets, until, during, skip };
}

test.for(["batch", "keyed"] as const)(
  "I14: a %s consumer stops at the batch in that partition alone, and readiness and a gauge name it",
  async (kind) => {
    const { consumer, failures, asked, gauge, offsets, until, during } = await given(kind);
    await until(() => asked.length >= 2);
    expect([offsets(0), offsets(1)]).toEqual([
      [0n, 1n],
      [0n, 1n, 2n],
    ]);
    expect(consumer.readiness()).toEqual({
      isReady: true,
      reasons: ["g: partition 0: batch 2-4 cannot be read: its checksum does not fit its bytes (broken on demand)"],
      blocked: [],
    });
    expect([...gauge]).toEqual([["t/0", 1]]);
    await during(consumer.stop());
    expect([[...gauge], failures]).toEqual([[["t/0", 0]], []]);
  },
);

test.for(["batch", "keyed"] as const)("a %s consumer goes on by itself once the batch can be read", async (kind) => {
  const { broker, consumer, gauge, asked, offsets, until } = await given(kind);
  await until(() => asked.length >= 3);
  broker.breakBatch(place, null);
  await until(() => offsets(0).length === 7);
  expect(offsets(0)).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n]);
  expect([consumer.readiness(), [...gauge]]).toEqual([{ isReady: true, reasons: [], blocked: [] }, [["t/0", 0]]]);
});

test("a wrong checksum is read a second time before anybody hears of it", async () => {
  const { broker, asked, offsets, until } = await given("batch");
  await until(() => offsets(0).length === 2);
  broker.breakBatch(place, null);
  await until(() => offsets(0).length === 7);
  expect(asked).toEqual([]);
});

test.for(["batch", "keyed"] as const)(
  "at an operator's request a %s consumer gets a record without a value for each known key, then the bytes, then what follows",
  async (kind) => {
    const { broker, consumer, handled, gauge, asked, offsets, skip, until, during } = await given(kind);
    await until(() => asked.length >= 1);
    skip();
    await until(() => offsets(0).includes(6n));
    expect(offsets(0)).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n]);
    const skipped = handled.filter((record) => record.skip !== undefined);
    expect(
      skipped.map(({ offset, key, value }) => [offset, key && Buffer.from(key).toString(), value && Buffer.from(value).toString()]),
    ).toEqual([
      [2n, "k00", null],
      [3n, "k01", null],
      [4n, null, "v2v3v4"],
    ]);
    expect(skipped.map(({ skip: request, headers }) => [request, headers["sluice-unreadable-batch"]])).toEqual(
      Array.from({ length: 3 }, () => [by, "2-4"]),
    );
    expect([consumer.readiness().isReady, [...gauge]]).toEqual([true, [["t/0", 0]]]);
    await during(consumer.stop());
    expect(broker.committedOffset("g", place)).toBe(7n);
  },
);
