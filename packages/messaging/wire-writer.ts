// Bytes of the log's protocol, written one after the other into a buffer that grows and is used again. Numbers are big-endian; varints are
// zigzag, seven bits a byte.

const firstBytes = 64 * 1024;
/** A larger buffer is let go by `clear`. */
const keptBytes = 1024 * 1024;
const varintBytesMax = 5;

export class WireWriter {
  /** Meaningful up to `length`, until the next write or `clear`. */
  bytes: Buffer = Buffer.allocUnsafeSlow(firstBytes);
  length = 0;

  clear(): void {
    this.length = 0;
    if (this.bytes.length > keptBytes) this.bytes = Buffer.allocUnsafeSlow(firstBytes);
  }

  /** Makes sure that so many bytes can be written at `length`. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  /** Room that is filled later. Answers where it begins. */
  skip(count: number): number {
    this.reserve(count);
    const at = this.length;
    this.length += count;
    return at;
  }

  int8(value: number): void {
    const at = this.skip(1);
    this.bytes[at] = value;
  }

  int16(value: number): void {
    const at = this.skip(2);
    this.bytes.writeInt16BE(value, at);
  }

  int32(value: number): void {
    const at = this.skip(4);
    this.bytes.writeInt32BE(value, at);
  }

  int64(value: bigint): void {
    const at = this.skip(8);
    this.bytes.writeBigInt64BE(value, at);
  }

  /** Its length in two bytes, then UTF-8; null is a length of −1. */
  text(text: string | null): void {
    const at = this.skip(2);
    if (text !== null) {
      this.reserve(text.length * 3);
      this.length += this.bytes.write(text, this.length);
    }
    this.bytes.writeInt16BE(text === null ? -1 : this.length - at - 2, at);
  }

  /** A whole number below 2^31. */
  varint(value: number): void {
    this.reserve(varintBytesMax);
    this.length = writeVarint(this.bytes, this.length, value);
  }

  /** Their length as a varint, then the bytes; null is a length of −1. */
  varBytes(bytes: Uint8Array | null): void {
    if (bytes === null) return this.varint(-1);
    this.varint(bytes.length);
    const at = this.skip(bytes.length);
    this.bytes.set(bytes, at);
  }

  /** As `varBytes`, of UTF-8. What is ASCII, as most is, is written without leaving JavaScript. */
  varText(text: string): void {
    const start = this.length;
    this.varint(text.length);
    this.reserve(text.length);
    const { bytes } = this;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) {
        this.length = start;
        return this.varBytes(Buffer.from(text));
      }
      bytes[this.length + index] = code;
    }
    this.length += text.length;
  }

  /** What was written since `start`, with its length as a varint before it. Two bytes must have been left at `start`: they are enough up to 8 KiB. */
  closeVarint(start: number): void {
    const size = this.length - start - 2;
    const lengthBytes = varintBytes(size);
    if (lengthBytes > 2) this.reserve(lengthBytes - 2);
    if (lengthBytes !== 2) this.bytes.copyWithin(start + lengthBytes, start + 2, this.length);
    writeVarint(this.bytes, start, size);
    this.length = start + lengthBytes + size;
  }
}

function writeVarint(bytes: Uint8Array, from: number, value: number): number {
  let at = from;
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  for (; rest > 0x7f; rest >>>= 7) {
    bytes[at] = (rest & 0x7f) | 0x80;
    at += 1;
  }
  bytes[at] = rest;
  return at + 1;
}

/** Of a number that is not negative. */
function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value >>> 6; rest > 0; rest >>>= 7) bytes += 1;
  return bytes;
}
