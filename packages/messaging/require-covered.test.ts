import { expect, test } from "vitest";
import { requireCovered } from "./require-covered.ts";
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
