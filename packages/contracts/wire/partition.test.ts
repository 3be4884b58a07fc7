import { expect, test } from "vitest";
import { outgoingRecord } from "./outgoing-record.ts";
import { murmur2, partitionFor } from "./partition.ts";
import { createFixedSerde } from "./serde.ts";
import { topics } from "./topics.ts";

// Test vectors of the Java client: clients/src/test/java/org/apache/kafka/common/utils/UtilsTest.java, testMurmur2.
test.each([
  ["21", -973_932_308],
  ["foobar", -790_332_482],
  ["a-little-bit-long-string", -985_981_536],
  ["a-little-bit-longer-string", -1_486_304_829],
  ["lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971],
  ["abc", 479_470_107],
])("murmur2 of %s is the Java client's", (key, hash) => {
  expect(murmur2(new TextEncoder().encode(key))).toBe(hash);
  expect(partitionFor(key, 12)).toBe((hash & 0x7fffffff) % 12);
});

test("a text and its bytes are the same key, also inside a larger buffer", () => {
  const bytes = new Uint8Array([9, ...new TextEncoder().encode("ZA_EFT:2026-11-20"), 9]);
  expect(partitionFor(bytes.subarray(1, -1), 12)).toBe(partitionFor("ZA_EFT:2026-11-20", 12));
});

test.each([1, 12, 120])("UETRs spread over all of %i partitions", (partitionCount) => {
  const counts = Array.from({ length: partitionCount }, () => 0);
  for (let at = 0; at < partitionCount * 1_000; at += 1) {
    const partition = partitionFor(`6f4b2f0e-6f0a-4d52-9a57-${at.toString(16).padStart(12, "0")}`, partitionCount);
    counts[partition] = (counts[partition] ?? 0) + 1;
  }
  expect(counts).toHaveLength(partitionCount);
  expect(Math.min(...counts)).toBeGreaterThan(800);
});

test("a partition count that is not a positive whole number is a programming error", () => {
  expect(() => partitionFor("k", 0)).toThrow("partition count");
});

const serde = createFixedSerde();

function place(key: string, partitionCount: number, partition?: number): readonly [string, number] {
  const options = { partitionCount, ...(partition === undefined ? {} : { partition }) };
  const record = outgoingRecord(serde, topics.journal, key, { name: "DayClosed", value: { day: "ZA_EFT:2026-11-20" } }, options);
  return [new TextDecoder().decode(record.key), record.partition];
}

test("a record has the bytes and the partition of its own key, whichever key came before it", () => {
  for (const [key, count] of [
    ["a", 12],
    ["a", 12],
    ["a", 48],
    ["b", 48],
    ["a", 12],
  ] as const) {
    expect(place(key, count)).toEqual([key, partitionFor(key, count)]);
  }
  expect(place("a", 12, 3)).toEqual(["a", 3]);
  expect(place("a", 12)).toEqual(["a", partitionFor("a", 12)]);
});
