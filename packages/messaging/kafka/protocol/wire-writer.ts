// Writes values of the Kafka protocol one after the other into a reused, growing buffer. Numbers are big-endian;
// varints are zigzag with seven bits a byte.

const firstBytes = 64 * 1024;
/** Size above which `clear` releases the buffer. */
const keptBytes = 1024 * 1024;
const varintBytesMax = 5;

export class WireWriter {
  /** The bytes written, up to `length`. Valid until the next write or `clear`. */
  bytes: Buffer = Buffer.allocUnsafeSlow(firstBytes);
  length = 0;

  clear(): void {
    this.length = 0;
    if (this.bytes.length > keptBytes) this.bytes = Buffer.allocUnsafeSlow(firstBytes);
  }

  /** Ensures that `count` bytes can be written at `length`. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  /** Leaves space to be filled later, and answers where it begins. */
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

  /** Writes UTF-8 text after its length in two bytes; null is written as a length of −1. */
  text(text: string | null): void {
    const at = this.skip(2);
    if (text !== null) {
      this.reserve(text.length * 3);
      this.length += this.bytes.write(text, this.length);
    }
    this.bytes.writeInt16BE(text === null ? -1 : this.length - at - 2, at);
  }

  /** Writes a whole number below 2^31. */
  varint(value: number): void {
    this.reserve(varintBytesMax);
    this.length = writeVarint(this.bytes, this.length, value);
  }

  /** Writes the bytes after their length as a varint; null is written as a length of −1. */
  varBytes(bytes: Uint8Array | null): void {
    if (bytes === null) return this.varint(-1);
    this.varint(bytes.length);
    const at = this.skip(bytes.length);
    this.bytes.set(bytes, at);
  }

  /** Writes UTF-8 text as `varBytes` does. ASCII, the usual case, is written without leaving JavaScript. */
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

  /**
   * Puts the varint length of everything since `start` before it. Two bytes must have been left at `start`; they
   * suffice up to 8 KiB.
   */
  closeVarint(start: number): void {
    const size = this.length - start - 2;
    const lengthBytes = countVarintBytes(size);
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

/** Returns the bytes that the varint of a non-negative number takes. */
function countVarintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value >>> 6; rest > 0; rest >>>= 7) bytes += 1;
  return bytes;
}
