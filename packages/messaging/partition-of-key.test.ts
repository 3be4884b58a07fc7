import { expect, test } from "vitest";
import { murmur2, partitionOfKey } from "./partition-of-key.ts";

// From the Java client's UtilsTest.
const vectors: readonly (readonly [string, number])[] = [
  ["21", -973932308],
  ["foobar", -790332482],
  ["a-little-bit-long-string", -985981536],
  ["a-little-bit-longer-string", -1486304829],
  ["lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971],
  ["abc", 479470107],
];

test.for(vectors)("the hash of %s is the Java client's", ([text, hash]) => {
  expect(murmur2(Buffer.from(text))).toBe(hash);
});

test("a key's partition is its positive hash modulo the partitions, wherever its bytes lie in memory", () => {
  const shifted = Buffer.from("xxfoobar").subarray(2);
  expect(partitionOfKey(shifted, 12)).toBe((-790332482 & 0x7fffffff) % 12);
  expect(partitionOfKey(Buffer.from("foobar"), 1)).toBe(0);
});
