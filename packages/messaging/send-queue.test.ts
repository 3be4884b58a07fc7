import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { requestRefused, unknownOutcome } from "./faults.ts";
import type { AppendResult, OutgoingRecord } from "./port.ts";
import { createSendQueue, type SendQueueOptions } from "./send-queue.ts";

const record = (text: string, partition = 0): OutgoingRecord => ({
  topic: "t",
  partition,
  key: null,
  value: Buffer.from(text),
  headers: {},
});

function setup(options: Partial<SendQueueOptions> = {}) {
  const time = createVirtualTime({ startAtMs: 0 });
  const batches: OutgoingRecord[][] = [];
  const outcomes: (Error | null)[] = [];
  let underWay = 0;
  let offset = 0n;
  const queue = createSendQueue({
    time,
    lingerMs: 2,
    batchRecordsMax: 5,
    batchPartitionBytesMax: 10_000,
    recordBytesMax: 5000,
    waitingRecordsMax: 20,
    transmit: async (batch) => {
      underWay += 1;
      expect(underWay).toBe(1);
      batches.push([...batch]);
      await new Promise<void>((resolve) => time.after(10, resolve));
      underWay -= 1;
      const outcome = outcomes.shift() ?? null;
      if (outcome !== null) throw outcome;
      return batch.map(({ topic, partition }): AppendResult => ({ topic, partition, offset: (offset += 1n), appendedAtMs: 1 }));
    },
    ...options,
  });
  const texts = (): string[] => batches.map((batch) => batch.map(({ value }) => Buffer.from(value ?? []).toString()).join(" "));
  return { time, queue, batches, outcomes, texts };
}

test("#1: one batch is in flight at a time; sends during the linger or the flight go together, in call order", async () => {
  const { time, queue, texts } = setup();
  const sends = [queue.send([record("a"), record("b")]), queue.send([record("c")])];
  await time.advance(1);
  expect(texts()).toEqual([]);
  await time.advance(1);
  sends.push(queue.send([record("d")]), queue.send([record("e"), record("f")]));
  await time.advance(100);
  expect(texts()).toEqual(["a b c", "d e f"]);
  expect((await Promise.all(sends)).flat().map(({ offset }) => offset)).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
});

test("a full batch does not wait for the linger", async () => {
  const { time, queue, texts } = setup();
  const sends = ["a", "b", "c", "d", "e", "f"].map((text) => queue.send([record(text)]));
  await time.settle();
  expect(texts()).toEqual(["a b c d e"]);
  await time.advance(100);
  expect(texts()).toEqual(["a b c d e", "f"]);
  await Promise.all(sends);
});

test("#2: when a batch fails all waiting sends fail with it, and the queue continues with later ones", async () => {
  const { time, queue, outcomes, texts } = setup();
  outcomes.push(unknownOutcome("lost"));
  const first = queue.send([record("a")]);
  await time.advance(5);
  const settled = Promise.allSettled([first, queue.send([record("b")]), queue.send([record("c")])]);
  await time.advance(100);
  for (const result of await settled) expect(result).toMatchObject({ reason: { code: "messaging.unknown-outcome" } });
  expect(texts()).toEqual(["a"]);
  const later = queue.send([record("d")]);
  await time.advance(100);
  expect(await later).toHaveLength(1);
  expect(texts()).toEqual(["a", "d"]);
});

test("#2, I14: a record that fails fails those that wait for its partition, and records of other partitions go on", async () => {
  const time = createVirtualTime({ startAtMs: 0 });
  const failing = new Set([1]);
  const batches: string[] = [];
  let offset = 0n;
  const queue = createSendQueue({
    time,
    lingerMs: 0,
    batchRecordsMax: 2,
    batchPartitionBytesMax: 10_000,
    recordBytesMax: 5000,
    waitingRecordsMax: 20,
    transmit: async (batch) => {
      batches.push(batch.map(({ value, partition }) => `${Buffer.from(value ?? []).toString()}${partition}`).join(" "));
      await new Promise<void>((resolve) => time.after(10, resolve));
      return batch.map(({ topic, partition }) =>
        failing.has(partition)
          ? requestRefused("no leader", { isRetryable: true })
          : { topic, partition, offset: (offset += 1n), appendedAtMs: 1 },
      );
    },
  });
  const settled = Promise.allSettled([
    queue.send([record("a"), record("b", 1)]),
    queue.send([record("c", 1), record("d")]),
    queue.send([record("e", 1)]),
    queue.send([record("f"), record("g", 2)]),
  ]);
  await time.advance(100);
  expect(await settled).toMatchObject([
    { reason: { code: "messaging.unknown-outcome", isRetryable: true, appended: [{ offset: 1n }, null] } },
    { reason: { code: "messaging.unknown-outcome", appended: [null, { offset: 2n }] } },
    { reason: { code: "messaging.refused", isRetryable: true } },
    {
      value: [
        { partition: 0, offset: 3n },
        { partition: 2, offset: 4n },
      ],
    },
  ]);
  expect(batches).toEqual(["a0 b1", "d0 f0", "g2"]);
});

test("#3: a send larger than a batch resolves when all of it is acknowledged; if a later part is refused, its outcome is unknown", async () => {
  const { time, queue, outcomes, texts } = setup();
  const large = queue.send(Array.from({ length: 12 }, (_, index) => record(`${index}`)));
  await time.advance(100);
  expect(await large).toHaveLength(12);
  expect(texts()).toEqual(["0 1 2 3 4", "5 6 7 8 9", "10 11"]);
  const no = requestRefused("no", { isRetryable: true });
  for (const outcome of [null, no]) outcomes.push(outcome);
  const cut = Promise.allSettled([queue.send(Array.from({ length: 7 }, (_, index) => record(`${index}`))), queue.send([record("x")])]);
  await time.advance(100);
  expect(await cut).toMatchObject([
    { reason: { code: "messaging.unknown-outcome" } },
    { reason: { code: "messaging.refused", isRetryable: true } },
  ]);
});

test("#4: sends beyond the bound of waiting records are refused as retryable", async () => {
  const { time, queue } = setup();
  const first = queue.send(Array.from({ length: 15 }, () => record("a")));
  await expect(queue.send(Array.from({ length: 20 }, () => record("b")))).rejects.toMatchObject({
    code: "messaging.refused",
    isRetryable: true,
  });
  await time.advance(200);
  expect(await first).toHaveLength(15);
  const whole = queue.send(Array.from({ length: 30 }, () => record("c")));
  await time.advance(200);
  expect(await whole).toHaveLength(30);
});

test("a record larger than a partition's bound goes alone", async () => {
  const { time, queue, batches } = setup({ batchPartitionBytesMax: 3000 });
  const sent = Promise.all([4000, 1200, 1200].map((bytes) => queue.send([record("x".repeat(bytes))])));
  await time.advance(200);
  await sent;
  expect(batches.map((batch) => batch.map(({ value }) => value?.length))).toEqual([[4000], [1200, 1200]]);
});

test("a partition's part of a batch is bounded in bytes; one larger record, up to its own bound, goes alone", async () => {
  const { time, queue, batches } = setup();
  const sends = [record("x".repeat(4000)), record("y".repeat(4000)), record("z".repeat(4000)), record("w".repeat(4000), 1)];
  const sent = queue.send(sends);
  await time.advance(200);
  await sent;
  expect(batches.map((batch) => batch.length)).toEqual([2, 2]);
  await expect(queue.send([record("x".repeat(5000))])).rejects.toMatchObject({ code: "messaging.refused", isRetryable: false });
});

test("#5: while many records arrive a batch waits longer, up to its bound; a record that arrives alone does not", async () => {
  const { time, queue, batches } = setup({ busyLingerMaxMs: 20, batchRecordsMax: 500, waitingRecordsMax: 10_000 });
  const sent: Promise<unknown>[] = [];
  for (let ms = 0; ms < 500; ms += 1) {
    sent.push(queue.send(Array.from({ length: 4 }, () => record("a"))));
    await time.advance(1);
  }
  await time.advance(50);
  await Promise.all(sent);
  expect(batches.slice(5).every((batch) => batch.length >= 60)).toBe(true);
  expect(batches.every((batch) => batch.length <= 4 * 31)).toBe(true);
  await time.advance(1_000);
  const before = batches.length;
  for (let alone = 0; alone < 3; alone += 1) {
    void queue.send([record("b")]);
    await time.advance(1_000);
  }
  void queue.send([record("c")]);
  await time.advance(2);
  expect(batches).toHaveLength(before + 4);
});

test("#5: a waiting batch is sent at once when the queue is closed", async () => {
  const { time, queue, batches } = setup({ busyLingerMaxMs: 2_000, batchRecordsMax: 500, waitingRecordsMax: 10_000 });
  const sends = [queue.send(Array.from({ length: 300 }, () => record("a")))];
  await time.advance(2);
  sends.push(queue.send([record("b")]));
  await time.advance(20);
  expect(batches).toHaveLength(1);
  const closing = queue.close();
  await time.advance(20);
  await closing;
  expect((await Promise.all(sends)).flat()).toHaveLength(301);
});

test("close refuses new sends and waits for earlier ones", async () => {
  const { time, queue } = setup();
  const sent = queue.send([record("a")]);
  const closing = queue.close();
  await expect(queue.send([record("b")])).rejects.toMatchObject({ code: "messaging.closed" });
  await time.advance(100);
  await closing;
  expect(await sent).toHaveLength(1);
});
