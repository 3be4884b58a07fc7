import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { compressed, compressInto, decompressed } from "./batch-zstd.ts";

const text = (length: number): Buffer => Buffer.alloc(length, '{"uetr":"00000000-0000-4000-8000-000000000001"}');
const lengths = [0, 1, 3_000, 65_535, 65_536, 65_537, 131_072, 200_000, 3_000_000];

test("what one batch was does not show in the next: zlib and we read what the other wrote", () => {
  for (const length of [...lengths, ...lengths.toReversed()]) {
    const packed = compressed(text(length));
    expect(zstdDecompressSync(packed).equals(text(length))).toBe(true);
    expect(decompressed(packed).equals(text(length))).toBe(true);
    expect(decompressed(zstdCompressSync(text(length))).equals(text(length))).toBe(true);
  }
});

test("bytes that do not shrink have room", () => {
  const noise = Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7919 * (index + 13)) >>> 3));
  expect(decompressed(compressed(noise)).equals(noise)).toBe(true);
});

test("a batch has a buffer of as many bytes as it has, not the room in which it was read", () => {
  for (const length of [1, 3_000, 70_000, 200_000]) expect(decompressed(compressed(text(length))).buffer.byteLength).toBe(length);
});

test("bytes that are no frame, or not a whole one, are refused, and harm no other batch", () => {
  const good = compressed(text(3_000));
  const cut = Array.from({ length: good.length }, (_, length) => good.subarray(0, length));
  const bad = [...cut, Buffer.from("no frame at all"), Buffer.concat([good, Buffer.from("more")])];
  for (const bytes of bad) {
    expect(() => decompressed(bytes)).toThrow("zstd");
    expect(decompressed(good).equals(text(3_000))).toBe(true);
  }
});

test("too little room is an error, and harms no other batch", () => {
  expect(() => compressInto(text(3_000), Buffer.alloc(20), 0)).toThrow("room");
  expect(decompressed(compressed(text(100))).equals(text(100))).toBe(true);
});

test("what would fill the memory is refused, and harms no other batch", () => {
  const bomb = zstdCompressSync(Buffer.alloc(65 * 1024 * 1024));
  expect(() => decompressed(bomb)).toThrow(expect.objectContaining({ code: "ERR_BUFFER_TOO_LARGE" }));
  expect(decompressed(compressed(text(100))).equals(text(100))).toBe(true);
});
