import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { compress, compressInto, decompress } from "./batch-zstd.ts";

const text = (length: number): Buffer => Buffer.alloc(length, '{"uetr":"00000000-0000-4000-8000-000000000001"}');
const lengths = [0, 1, 3_000, 65_535, 65_536, 65_537, 131_072, 200_000, 3_000_000];

test("batches do not affect each other: zlib reads our frames and we read zlib's", () => {
  for (const length of [...lengths, ...lengths.toReversed()]) {
    const packed = compress(text(length));
    expect(zstdDecompressSync(packed).equals(text(length))).toBe(true);
    expect(decompress(packed).equals(text(length))).toBe(true);
    expect(decompress(zstdCompressSync(text(length))).equals(text(length))).toBe(true);
  }
});

test("incompressible bytes fit into the bound", () => {
  const noise = Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7919 * (index + 13)) >>> 3));
  expect(decompress(compress(noise)).equals(noise)).toBe(true);
});

test("a decompressed batch gets a buffer of its own size, not the reused one", () => {
  for (const length of [1, 3_000, 70_000, 200_000]) expect(decompress(compress(text(length))).buffer.byteLength).toBe(length);
});

test("bytes that are not a whole frame are refused, and later batches are not affected", () => {
  const good = compress(text(3_000));
  const cut = Array.from({ length: good.length }, (_, length) => good.subarray(0, length));
  const bad = [...cut, Buffer.from("no frame at all"), Buffer.concat([good, Buffer.from("more")])];
  for (const bytes of bad) {
    expect(() => decompress(bytes)).toThrow("zstd");
    expect(decompress(good).equals(text(3_000))).toBe(true);
  }
});

test("too little output space is an error, and later batches are not affected", () => {
  expect(() => compressInto(text(3_000), Buffer.alloc(20), 0)).toThrow("room");
  expect(decompress(compress(text(100))).equals(text(100))).toBe(true);
});

test("a frame that would fill the memory is refused, and later batches are not affected", () => {
  const bomb = zstdCompressSync(Buffer.alloc(65 * 1024 * 1024));
  expect(() => decompress(bomb)).toThrow(expect.objectContaining({ code: "ERR_BUFFER_TOO_LARGE" }));
  expect(decompress(compress(text(100))).equals(text(100))).toBe(true);
});
