// Computes the partition of a key here, so that no client library can move a key: (murmur2 & 0x7fffffff) mod the
// partition count, as the Java client does.

import { assert } from "@sluice/kernel";

const seed = 0x9747b28c;
const multiplier = 0x5bd1e995;

/** A text key is encoded as UTF-8. */
export function partitionFor(key: Uint8Array | string, partitionCount: number): number {
  assert(Number.isInteger(partitionCount) && partitionCount > 0, "the partition count is a positive whole number");
  return (murmur2(typeof key === "string" ? Buffer.from(key) : key) & 0x7fffffff) % partitionCount;
}

/** Returns the 32-bit murmur2 hash as a signed number. */
export function murmur2(bytes: Uint8Array): number {
  const whole = bytes.length & ~3;
  let hash = seed ^ bytes.length;
  for (let at = 0; at < whole; at += 4) {
    const word = byte(bytes, at) | (byte(bytes, at + 1) << 8) | (byte(bytes, at + 2) << 16) | (byte(bytes, at + 3) << 24);
    const mixed = Math.imul(word, multiplier);
    hash = Math.imul(hash, multiplier) ^ Math.imul(mixed ^ (mixed >>> 24), multiplier);
  }
  const left = bytes.length - whole;
  if (left === 3) hash ^= byte(bytes, whole + 2) << 16;
  if (left >= 2) hash ^= byte(bytes, whole + 1) << 8;
  if (left >= 1) hash = Math.imul(hash ^ byte(bytes, whole), multiplier);
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
}

function byte(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}
