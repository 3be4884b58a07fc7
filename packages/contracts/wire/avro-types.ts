// Avro types of avsc, changed where Sluice needs other guarantees.
//
// #1 A long is a bigint, because avsc decodes it to a double and is wrong below −2^52. A value that a double holds
//    exactly takes avsc's own path, because its path for custom longs takes five times as long.
// #2 A decimal is an unscaled bigint and is read only with the same precision and scale. The registry accepts a change
//    of either, and plain avsc would resolve it silently, off by powers of ten.
// #3 Bytes are `Uint8Array` and share the memory of the record that they were read from. A caller that keeps them
//    longer copies them.
// #4 A block count larger than the remaining bytes is refused before anything is allocated, so that a corrupt record
//    cannot exhaust the process.
// #5 A date is its text, YYYY-MM-DD, as everywhere in Sluice; on the wire it is the number of days since 1970.

import avro from "avsc";

/** The buffer reader and writer of avsc, which its typings leave out. */
interface Tap {
  readonly buf: Buffer;
  pos: number;
  readLong(): number;
  skipLong(): void;
  writeLong(value: number): void;
  readString(): string | undefined;
  skipString(): void;
}
interface Inner {
  _read(tap: Tap): unknown;
  _write(tap: Tap, value: unknown): void;
  _skip(tap: Tap): void;
}

/** Builds the avsc type of a self-contained schema, given as JSON text. */
export function avroType(text: string): avro.Type {
  const schema: avro.Schema = JSON.parse(text);
  return avro.Type.forSchema(schema, { ...avroOptions(), registry: {} });
}

/** The options under which every schema becomes a type: our own schemas and those that the registry returns. */
function avroOptions(): Partial<avro.ForSchemaOptions> {
  return {
    wrapUnions: "never",
    omitRecordMethods: true,
    assertLogicalTypes: true,
    logicalTypes: { decimal: DecimalType, "timestamp-millis": TimestampType, date: DateType },
    typeHook: wireType,
  };
}

const dayMs = 86_400_000;
const dateCharacters = 10;
const longMin = -(2n ** 63n);
const longMax = 2n ** 63n - 1n;

const customLong: unknown = avro.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => bytes.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    return bytes;
  },
  fromJSON: BigInt,
  toJSON: String,
  isValid: (value: unknown) => typeof value === "bigint" && value >= longMin && value <= longMax,
  compare: (one: bigint, other: bigint) => (one < other ? -1 : Number(one > other)),
});

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every type of avsc has these methods; its typings leave them out
const anyLong = customLong as Inner;

/** The largest long that takes avsc's path. Its doubles hold twice the value and must stay whole. */
const doubleMax = 2 ** 51;
/** The most bytes that Node can read as one number. */
const doubleBytesMax = 6;
const doubleMaxBigint = BigInt(doubleMax);

/** #1 */
const bigintLong: avro.Type = Object.create(anyLong, {
  _read: {
    value(tap: Tap): unknown {
      const { pos } = tap;
      const near = tap.readLong();
      if (near >= -doubleMax && near <= doubleMax) return BigInt(near);
      tap.pos = pos;
      return anyLong._read(tap);
    },
  },
  _write: {
    value(tap: Tap, value: unknown): void {
      if (typeof value === "bigint" && value >= -doubleMaxBigint && value <= doubleMaxBigint) tap.writeLong(Number(value));
      else anyLong._write(tap, value);
    },
  },
});

class WireBytes extends avro.types.BytesType {
  _check(value: unknown): boolean {
    return value instanceof Uint8Array;
  }
  /**
   * #3. A length beyond the end moves the position beyond the buffer, which avsc reports as truncated, as in its own
   * reader.
   */
  _read(tap: Tap): Uint8Array | undefined {
    const length = tap.readLong();
    const { buf, pos } = tap;
    tap.pos = length < 0 ? buf.length + 1 : pos + length;
    return tap.pos <= buf.length ? new Uint8Array(buf.buffer, buf.byteOffset + pos, length) : undefined;
  }
  _write(tap: Tap, value: unknown): void {
    if (!(value instanceof Uint8Array)) throw new TypeError("bytes must be a Uint8Array");
    tap.writeLong(value.length);
    const { pos } = tap;
    tap.pos += value.length;
    // Where there is no room, avsc notices the position and calls again with a larger buffer.
    if (tap.pos <= tap.buf.length) tap.buf.set(value, pos);
  }
  _update(resolver: { _read?: WireBytes["_read"] }, writer: avro.Type): void {
    if (writer instanceof WireBytes) resolver._read = (tap): Uint8Array | undefined => this._read(tap);
  }
  _deref(): string {
    return "bytes";
  }
}
// avsc picks the branch of a union by the type of the value and knows bytes only as Buffer. Abstract branches are asked
// instead.
Object.defineProperties(WireBytes.prototype, { typeName: { value: "abstract:bytes" }, _concreteTypeName: { value: "bytes" } });
const wireBytes = new WireBytes();

class BoundedArray extends avro.types.ArrayType {
  _read(this: { readonly itemsType: Inner }, tap: Tap): unknown[] {
    const items: unknown[] = [];
    for (let count = blockCount(tap); count > 0; count = blockCount(tap)) {
      for (let left = count; left > 0; left -= 1) items.push(this.itemsType._read(tap));
    }
    return items;
  }
  _skip(this: { readonly itemsType: Inner }, tap: Tap): void {
    for (let count = blockCount(tap); count > 0; count = blockCount(tap)) {
      for (let left = count; left > 0; left -= 1) this.itemsType._skip(tap);
    }
  }
}

class BoundedMap extends avro.types.MapType {
  _read(this: { readonly valuesType: Inner }, tap: Tap): Record<string, unknown> {
    // The map has no prototype, so that no key can have a meaning of its own.
    const map: Record<string, unknown> = Object.create(null);
    for (let count = blockCount(tap); count > 0; count = blockCount(tap)) {
      for (let left = count; left > 0; left -= 1) map[tap.readString() ?? ""] = this.valuesType._read(tap);
    }
    return map;
  }
  _skip(this: { readonly valuesType: Inner }, tap: Tap): void {
    for (let count = blockCount(tap); count > 0; count = blockCount(tap)) {
      for (let left = count; left > 0; left -= 1) {
        tap.skipString();
        this.valuesType._skip(tap);
      }
    }
  }
}

class TimestampType extends avro.types.LogicalType {
  protected override _fromValue(value: number): number {
    return value;
  }
  protected override _toValue(value: unknown): number | undefined {
    return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
  }
  protected override _resolve(writer: avro.Type): unknown {
    return writer instanceof TimestampType ? (value: number) => value : undefined;
  }
}

/** #5 */
class DateType extends avro.types.LogicalType {
  /** The date that was written last, in both forms: the records of one moment name the same few dates. */
  #text = "1970-01-01";
  #days = 0;

  protected override _fromValue(days: number): string {
    return new Date(days * dayMs).toISOString().slice(0, dateCharacters);
  }
  protected override _toValue(value: unknown): number | undefined {
    if (value === this.#text) return this.#days;
    if (typeof value !== "string" || value.length !== dateCharacters) return undefined;
    const atMs = Date.parse(`${value}T00:00:00Z`);
    if (Number.isNaN(atMs) || new Date(atMs).toISOString().slice(0, dateCharacters) !== value) return undefined;
    this.#text = value;
    this.#days = atMs / dayMs;
    return this.#days;
  }
  protected override _resolve(writer: avro.Type): unknown {
    return writer instanceof DateType ? (value: string) => value : undefined;
  }
}

class DecimalType extends avro.types.LogicalType {
  readonly precision: number;
  readonly scale: number;
  private readonly limit: bigint;

  constructor(schema: avro.Schema, options: unknown) {
    super(schema, options);
    this.precision = readNumber(schema, "precision");
    this.scale = readNumber(schema, "scale");
    this.limit = 10n ** BigInt(this.precision);
  }
  protected override _fromValue(bytes: Buffer | undefined): bigint | undefined {
    if (bytes === undefined) return undefined;
    if (bytes.length === 0) throw new Error("a decimal of no bytes");
    const value = readUnscaled(bytes);
    if (value >= this.limit || value <= -this.limit) throw new Error(`a decimal of more than ${this.precision} digits`);
    return value;
  }
  protected override _toValue(value: unknown): Buffer | undefined {
    if (typeof value !== "bigint" || value >= this.limit || value <= -this.limit) return undefined;
    let length = 1;
    while (BigInt.asIntN(length * 8, value) !== value) length += 1;
    return Buffer.from(
      BigInt.asUintN(length * 8, value)
        .toString(16)
        .padStart(length * 2, "0"),
      "hex",
    );
  }
  protected override _resolve(writer: avro.Type): unknown {
    const isSame = writer instanceof DecimalType && writer.precision === this.precision && writer.scale === this.scale;
    return isSame ? (bytes: Buffer | bigint) => bytes : undefined;
  }
  protected override _export(schema: avro.Schema): void {
    Object.assign(schema, { precision: this.precision, scale: this.scale });
  }
}

/**
 * Reads two's complement. A value that a double holds exactly, as every amount seen so far does, takes the faster path.
 */
function readUnscaled(bytes: Buffer): bigint {
  if (bytes.length <= doubleBytesMax) return BigInt(bytes.readIntBE(0, bytes.length));
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString("hex")}`));
}

function wireType(schema: avro.Schema, options: unknown): avro.Type | undefined {
  if (schema === "long") return bigintLong;
  if (schema === "bytes") return wireBytes;
  if (typeof schema === "string" || !("type" in schema) || "logicalType" in schema) return undefined;
  if (schema.type === "long") return bigintLong;
  if (schema.type === "bytes") return wireBytes;
  if (schema.type === "array") return new BoundedArray(schema, options);
  if (schema.type === "map") return new BoundedMap(schema, options);
  return undefined;
}

function readNumber(schema: avro.Schema, attribute: "precision" | "scale"): number {
  const found: unknown = typeof schema === "object" && attribute in schema ? Reflect.get(schema, attribute) : undefined;
  if (typeof found !== "number") throw new Error(`a decimal needs a ${attribute}`);
  return found;
}

/** Reads the number of entries in the next block, 0 at the end. Every entry takes at least one byte. */
function blockCount(tap: Tap): number {
  let count = tap.readLong();
  if (count < 0) {
    count = -count;
    tap.skipLong();
  }
  if (count > tap.buf.length - tap.pos) throw new Error("a block larger than the record");
  return count;
}
