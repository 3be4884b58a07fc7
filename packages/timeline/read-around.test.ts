import { createMemoryBroker } from "@sluice/messaging";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { readAround } from "./read-around.ts";
import { findOffsetSince, searchPartition } from "./search-partition.ts";

const place = { topic: "t", partition: 0 };

/** Ten records of one key, of which 3 to 5 cannot be read. */
async function given() {
  const time = createVirtualTime({ startAtMs: 1_000_000, seed: "around" });
  const broker = createMemoryBroker({ time, random: seededRandom("around"), topics: { t: 1 } });
  const settle = time.finish;
  const producer = await settle(broker.producer("p"));
  for (let count = 0; count < 10; count += 1) {
    await settle(producer.send([{ ...place, key: Buffer.from("k"), value: Buffer.from("v"), headers: {} }]));
  }
  broker.breakBatch(place, { firstOffset: 3n, lastOffset: 5n, reason: "checksum", areKeysKnown: false });
  return { broker, settle };
}

test("a reading goes on behind a batch that cannot be read, and names it; any other error ends it", async () => {
  const { broker, settle } = await given();
  const missed: bigint[] = [];
  const range = { from: 1n, to: 8n, missed: (batch: { firstOffset: bigint }) => void missed.push(batch.firstOffset) };
  const read = await settle(Array.fromAsync(readAround(broker, place, range)));
  expect([read.map(({ offset }) => offset), missed]).toEqual([[1n, 2n, 6n, 7n], [3n]]);
  broker.truncate(place, 2n);
  await expect(settle(Array.fromAsync(readAround(broker, place, range)))).rejects.toMatchObject({ code: "messaging.outside-log" });
});

test("a reading that the broker ends early is refused, and may be tried again", async () => {
  const { broker, settle } = await given();
  const early: Pick<typeof broker, "read"> = { read: (partition, from, to) => broker.read(partition, from, to - 1n) };
  await expect(settle(Array.fromAsync(readAround(early, place, { from: 6n, to: 10n })))).rejects.toMatchObject({
    code: "messaging.read-incomplete",
    isRetryable: true,
  });
});

test("a search finds what lies around a batch that cannot be read, and says that it is not complete", async () => {
  const { broker, settle } = await given();
  const search = { keys: ["k"], sinceMs: null };
  const found = await settle(searchPartition(broker, place, search));
  expect([found.records.map(({ offset }) => offset), found.isComplete]).toEqual([[0n, 1n, 2n, 6n, 7n, 8n, 9n], false]);
  const since = found.records.find(({ offset }) => offset === 6n)?.appendedAtMs ?? 0;
  expect(await settle(findOffsetSince(broker, place, { from: 0n, to: 10n, sinceMs: since, withinRecords: 0n }))).toBeLessThanOrEqual(6n);
  broker.breakBatch(place, null);
  expect((await settle(searchPartition(broker, place, search))).isComplete).toBe(true);
});
