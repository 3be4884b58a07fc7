import { expect, test } from "vitest";
import { readCompacted, requireCovered } from "./require-covered.ts";
import type { ReceivedRecord } from "./port.ts";

const place = { topic: "t", partition: 0 };

async function* reading(...offsets: readonly bigint[]): AsyncGenerator<ReceivedRecord> {
  for (const offset of offsets) yield await Promise.resolve({ ...place, offset, appendedAtMs: 0, key: null, value: null, headers: {} });
}

test("a reading that reaches the end of its range is handed on as it is", async () => {
  const read = await Array.fromAsync(requireCovered(reading(3n, 4n, 5n), place, 3n, 6n));
  expect(read.map(({ offset }) => offset)).toEqual([3n, 4n, 5n]);
  expect(await Array.fromAsync(requireCovered(reading(), place, 3n, 3n))).toEqual([]);
});

test("I1: a reading that ends before the end of its range is refused, and may be tried again", async () => {
  for (const short of [reading(), reading(3n, 4n)]) {
    await expect(Array.fromAsync(requireCovered(short, place, 3n, 6n))).rejects.toMatchObject({
      code: "messaging.read-incomplete",
      isRetryable: true,
    });
  }
});

test("I1: a reading of a compacted topic has holes, and reaches the newest record or is refused", async () => {
  const log = (logEnd: bigint, ...offsets: readonly bigint[]) => ({
    ends: () => Promise.resolve([{ logStart: 0n, logEnd }]),
    read: (_: unknown, from: bigint, to: bigint) => reading(...offsets.filter((offset) => offset >= from && offset < to)),
  });
  const read = await Array.fromAsync(readCompacted(log(9n, 3n, 4n, 8n), place, 3n, 6n));
  expect(read.map(({ offset }) => offset)).toEqual([3n, 4n]);
  expect(await Array.fromAsync(readCompacted(log(6n, 3n, 5n), place, 3n, 6n))).toHaveLength(2);
  for (const behind of [log(9n, 3n, 4n), log(5n, 3n, 4n), log(9n)]) {
    await expect(Array.fromAsync(readCompacted(behind, place, 3n, 6n))).rejects.toMatchObject({
      code: "messaging.read-incomplete",
      isRetryable: true,
    });
  }
});
