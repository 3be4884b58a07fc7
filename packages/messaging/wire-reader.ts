// Reads the log's protocol. What reaches beyond the end is an error, whatever a length says. Numbers are big-endian; varints are zigzag, seven bits a byte.

const varintScaleMax = 2 ** 63;

export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Bytes read. */
  get at(): number {
    return this.#at;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  int8(): number {
    return this.#bytes.readInt8(this.#passed(1));
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#passed(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#passed(4));
  }

  int64(): bigint {
    return this.#bytes.readBigInt64BE(this.#passed(8));
  }

  /** Shares memory with what is read. */
  bytes(count: number): Buffer {
    const from = this.#passed(count);
    return this.#bytes.subarray(from, this.#at);
  }

  /** Its length in two bytes, then UTF-8. */
  text(): string {
    return this.#textOf(this.int16());
  }

  /** Exact up to 2^53. */
  varint(): number {
    const first = this.#bytes[this.#passed(1)] ?? 0;
    if (first < 0x80) return (first >>> 1) ^ -(first & 1);
    let zigzag = first & 0x7f;
    for (let scale = 0x80; scale <= varintScaleMax; scale *= 0x80) {
      const byte = this.#bytes[this.#passed(1)] ?? 0;
      zigzag += (byte & 0x7f) * scale;
      if (byte < 0x80) return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    }
    throw new Error("a number of more than 64 bits");
  }

  /** As `bytes`; null where the length is −1. */
  varBytes(): Buffer | null {
    const length = this.varint();
    return length === -1 ? null : this.bytes(length);
  }

  varText(): string {
    return this.#textOf(this.varint());
  }

  varNullableText(): string | null {
    const length = this.varint();
    return length === -1 ? null : this.#textOf(length);
  }

  #textOf(length: number): string {
    const from = this.#passed(length);
    return this.#bytes.toString("utf8", from, this.#at);
  }

  /** Where it began. */
  #passed(count: number): number {
    const from = this.#at;
    if (count < 0 || count > this.#bytes.length - from) throw new Error("a length that reaches beyond the end");
    this.#at += count;
    return from;
  }
}
