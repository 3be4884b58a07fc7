// Reads values of the Kafka protocol. A length that reaches beyond the end is an error. Numbers are big-endian; varints
// are zigzag with seven bits a byte.

import { commonTextBytesMax, findCommonText } from "./repeated-texts.ts";

const varintScaleMax = 2 ** 63;

export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Number of bytes read. */
  get at(): number {
    return this.#at;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  int8(): number {
    return this.#bytes.readInt8(this.#advance(1));
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#advance(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#advance(4));
  }

  int64(): bigint {
    return this.#bytes.readBigInt64BE(this.#advance(8));
  }

  /** Reads bytes that share memory with the source. */
  bytes(count: number): Buffer {
    const from = this.#advance(count);
    return this.#bytes.subarray(from, this.#at);
  }

  /** Reads UTF-8 text after its length in two bytes. */
  text(): string {
    return this.#readText(this.int16());
  }

  /** Reads a varint; exact up to 2^53. */
  varint(): number {
    const first = this.#bytes[this.#advance(1)] ?? 0;
    if (first < 0x80) return (first >>> 1) ^ -(first & 1);
    let zigzag = first & 0x7f;
    for (let scale = 0x80; scale <= varintScaleMax; scale *= 0x80) {
      const byte = this.#bytes[this.#advance(1)] ?? 0;
      zigzag += (byte & 0x7f) * scale;
      if (byte < 0x80) return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    }
    throw new Error("a number of more than 64 bits");
  }

  /** Reads bytes after a varint length, as `bytes` does; null if the length is −1. */
  varBytes(): Buffer | null {
    const length = this.varint();
    return length === -1 ? null : this.bytes(length);
  }

  varText(): string {
    return this.#readText(this.varint());
  }

  varNullableText(): string | null {
    const length = this.varint();
    return length === -1 ? null : this.#readText(length);
  }

  #readText(length: number): string {
    const from = this.#advance(length);
    if (length > commonTextBytesMax) return this.#bytes.toString("utf8", from, this.#at);
    return findCommonText(this.#bytes, from, this.#at);
  }

  /** Advances by `count` bytes and answers where they begin. */
  #advance(count: number): number {
    const from = this.#at;
    if (count < 0 || count > this.#bytes.length - from) throw new Error("a length that reaches beyond the end");
    this.#at += count;
    return from;
  }
}
