// Creates a `Random` from a seed. The same seed gives the same sequence on every machine: sfc32, seeded by FNV-1a of
// the seed's text.

import type { Random } from "@sluice/kernel";

export function seededRandom(seed: number | string): Random {
  const next = sfc32(seedWords(String(seed)));
  for (let round = 0; round < 15; round += 1) next();
  return {
    // 53 bits, as Math.random gives.
    fraction: () => ((next() >>> 5) * 0x4000000 + (next() >>> 6)) / 2 ** 53,
    hex: (bytes) => Array.from({ length: bytes }, () => (next() >>> 24).toString(16).padStart(2, "0")).join(""),
  };
}

function seedWords(text: string): [number, number, number, number] {
  const word = (salt: number): number => {
    let hash = 0x811c9dc5 ^ salt;
    for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    return hash >>> 0;
  };
  return [word(1), word(2), word(3), 1];
}

function sfc32([a, b, c, counter]: [number, number, number, number]): () => number {
  return () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  };
}
