import { expect, test } from "vitest";
import { crc32c } from "./crc32c.ts";

// Vectors of RFC 3720, B.4, and the check value of the CRC catalogue.
test.each([
  ["32 bytes of 0", Buffer.alloc(32), 0x8a9136aa],
  ["32 bytes of 255", Buffer.alloc(32, 0xff), 0x62a8ab43],
  ["32 bytes rising", Buffer.from(Array.from({ length: 32 }, (_, index) => index)), 0x46dd794e],
  ["32 bytes falling", Buffer.from(Array.from({ length: 32 }, (_, index) => 31 - index)), 0x113fdb5c],
  ["nine digits", Buffer.from("123456789"), 0xe3069283],
])("the checksum of %s is the published one", (_, bytes, checksum) => {
  expect(crc32c(bytes, 0, bytes.length)).toBe(checksum);
  expect(crc32c(Buffer.concat([Buffer.from("x"), bytes, Buffer.from("yz")]), 1, 1 + bytes.length)).toBe(checksum);
});
