// The partition of a key is ours, so that no client moves it: (murmur2 & 0x7fffffff) mod lanes, as the Java client does.

import { assert } from "@sluice/runtime";

const seed = 0x9747b28c;
const multiplier = 0x5bd1e995;

/** Text is taken as UTF-8. */
export function partitionOf(key: Uint8Array | string, lanes: number): number {
  assert(Number.isInteger(lanes) && lanes > 0, "lanes is a positive whole number");
  return (murmur2(typeof key === "string" ? Buffer.from(key) : key) & 0x7fffffff) % lanes;
}

/** 32-bit murmur2 as a signed number. */
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
