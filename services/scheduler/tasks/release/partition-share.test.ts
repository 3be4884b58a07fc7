import { expect, test } from "vitest";
import { partitionShare, shareRotationMs } from "./partition-share.ts";

const sharesAt = (max: number, partitionCount: number, nowMs: number): readonly number[] =>
  Array.from({ length: partitionCount }, (_, partition) => partitionShare(max, partitionCount, partition, nowMs).debits);

test("the shares of all partitions add up to the bank's limit, and the first partitions have one more [D9.45]", () => {
  expect(sharesAt(256, 12, 0)).toEqual([22, 22, 22, 22, 21, 21, 21, 21, 21, 21, 21, 21]);
  for (const max of [1, 5, 11, 12, 13, 256]) expect(sharesAt(max, 12, 1_234_567).reduce((sum, share) => sum + share, 0)).toBe(max);
});

test.each([1, 12, 120])("the shares of %i partitions add up to the bank's limit, at any time", (count) => {
  for (const max of [1, 11, 119, 256]) {
    for (const nowMs of [0, 1_234_567]) expect(sharesAt(max, count, nowMs).reduce((sum, share) => sum + share, 0)).toBe(max);
  }
});

test("with fewer debits allowed than partitions the shares rotate, and each partition knows when", () => {
  const partitions = new Set<number>();
  for (let rotation = 0; rotation < 12; rotation += 1) {
    for (const [partition, share] of sharesAt(5, 12, rotation * shareRotationMs + 400).entries())
      if (share === 1) partitions.add(partition);
  }
  expect(partitions.size).toBe(12);
  expect(partitionShare(5, 12, 3, 7 * shareRotationMs + 400).changesInMs).toBe(600);
  expect(partitionShare(256, 12, 3, 0).changesInMs).toBeNull();
});

test("no partition has a rotating share before the broker clock is known", () => {
  expect(partitionShare(5, 12, 0, null).debits).toBe(0);
  expect(partitionShare(0, 12, 0, 0).debits).toBe(0);
});
