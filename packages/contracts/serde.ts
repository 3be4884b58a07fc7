// Own serde over avsc: 0x00, the schema id as int32, Avro bytes. The reader is always the newest schema of a record; each
// (id → writer) has its resolver, made once.
//
// 1. Bytes that are bad in themselves (no value, wrong first byte, truncated, trailing bytes, an incompatible writer) are a
//    `contracts.unreadable` Fault, not retryable. The Fault says why, and never a value.
// 2. An unknown id is `contracts.unknown-schema`, retryable: after `learn` the same bytes can be decoded.
// 3. What is encoded is what the newest schema says, or an error: nothing is coerced.

import { Fault } from "@sluice/runtime";
import type { Type } from "avsc";
import type { AnyDecoded, Serde } from "./api.ts";
import { avroType } from "./avro-types.ts";
import { recordNames, schemaVersions } from "./generated/records.ts";
import type { RecordName } from "./generated/records.ts";

export interface WriterSchema {
  readonly id: number;
  readonly name: RecordName;
  /** JSON text. */
  readonly schema: string;
}

/** Asks for the schema of an id as JSON text; rejects with a retryable Fault while it cannot be had. */
export type SchemaLookup = (id: number) => Promise<string>;

interface Reader {
  readonly name: RecordName;
  readonly type: Type;
  /** Absent where the writer is the newest schema itself. */
  readonly resolver: ReturnType<Type["createResolver"]> | undefined;
  /** Why records of this writer cannot be read at all; null where they can. */
  readonly obstacle: string | null;
}

const headerBytes = 5;
/** Encoded records lie in one piece of memory, one behind the other: a piece for each costs more than encoding it. One that is kept keeps the piece. */
const pieceBytes = 32 * 1024;
/** A larger record has its own. */
const pieceShareMax = 8 * 1024;
/** Schema ids known at once; a registry holds a few for each record. */
const schemasMax = 10_000;

/** A serde over the schemas given; `newestIds` is what is written. Ids not given are asked of `lookUp`. */
export function serdeOver(schemas: readonly WriterSchema[], newestIds: ReadonlyMap<RecordName, number>, lookUp: SchemaLookup): Serde {
  const newest = newestTypes();
  const readers = new Map<number, Reader>();
  const learning = new Map<number, Promise<void>>();
  let piece = Buffer.allocUnsafeSlow(pieceBytes);
  let pieceUsed = 0;
  for (const { id, name, schema } of schemas) readers.set(id, readerOf(name, typeIn(newest, name), schema));

  async function learnId(id: number): Promise<void> {
    const schema = await lookUp(id);
    const name = recordNameOf(schema);
    if (name === null) throw new Fault("contracts.unknown-record", `schema ${id} is of no record known here`, { isRetryable: true });
    if (readers.size >= schemasMax) throw new Fault("contracts.too-many-schemas", `${schemasMax} schemas are known`, { isRetryable: true });
    readers.set(id, readerOf(name, typeIn(newest, name), schema));
  }

  function written(type: Type, id: number, value: unknown): Uint8Array {
    const from = pieceUsed;
    const end = type.encode(value, piece, from + headerBytes);
    if (end >= 0) {
      pieceUsed = end;
      return withHeader(new Uint8Array(piece.buffer, from, end - from), id);
    }
    // Below zero: so many bytes were missing.
    const needed = piece.length - end - from;
    if (needed > pieceShareMax) {
      const own = Buffer.allocUnsafeSlow(needed);
      type.encode(value, own, headerBytes);
      return withHeader(new Uint8Array(own.buffer), id);
    }
    piece = Buffer.allocUnsafeSlow(pieceBytes);
    pieceUsed = 0;
    return written(type, id, value);
  }

  return {
    encode(name, value) {
      const id = newestIds.get(name);
      if (id === undefined) throw new Error(`${name} has no schema id`);
      const type = typeIn(newest, name);
      try {
        return written(type, id, value);
      } catch {
        throw new Error(`${name} does not fit its schema at ${misfitsOf(type, value)}`);
      }
    },
    decode(bytes) {
      const id = schemaIdOf(bytes);
      const reader = readers.get(id);
      if (reader === undefined) throw new Fault("contracts.unknown-schema", `schema ${id} is not known here`, { isRetryable: true });
      return decodeWith(reader, bytes);
    },
    learn(bytes) {
      const id = schemaIdOf(bytes);
      if (readers.has(id)) return Promise.resolve();
      const known = learning.get(id);
      if (known !== undefined) return known;
      const started = learnId(id).finally(() => learning.delete(id));
      learning.set(id, started);
      return started;
    },
  };
}

/** Ids 1..n over every version of every record, in the order of the generated file; no registry. For tests and simulation. */
export function fixedSerde(): Serde {
  const schemas: WriterSchema[] = [];
  const newestIds = new Map<RecordName, number>();
  for (const name of recordNames) {
    for (const schema of schemaVersions[name]) {
      schemas.push({ id: schemas.length + 1, name, schema });
      newestIds.set(name, schemas.length);
    }
  }
  return serdeOver(schemas, newestIds, (id) =>
    Promise.reject(new Fault("contracts.unknown-schema", `schema ${id} is none of the fixed ones`, { isRetryable: true })),
  );
}

/** The schema id in the header of a record's value. */
export function schemaIdOf(bytes: Uint8Array | null): number {
  if (bytes === null) throw unreadable("no value");
  if (bytes.length < headerBytes) throw unreadable("shorter than its header");
  if (bytes[0] !== 0) throw unreadable(`first byte is ${bytes[0]}, not 0`);
  return (twoBytes(bytes, 1) << 16) | twoBytes(bytes, 3);
}

function twoBytes(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

function withHeader(bytes: Uint8Array, id: number): Uint8Array {
  bytes[0] = 0;
  bytes[1] = id >>> 24;
  bytes[2] = id >>> 16;
  bytes[3] = id >>> 8;
  bytes[4] = id;
  return bytes;
}

/** avsc's own errors show the value, which may be an account number: ours show the path. */
function misfitsOf(type: Type, value: unknown): string {
  const paths: string[] = [];
  type.isValid(value, { errorHook: (path) => paths.push(path.join(".")) });
  return paths.join(", ");
}

function decodeWith({ name, type, resolver, obstacle }: Reader, bytes: Uint8Array): AnyDecoded {
  if (obstacle !== null) throw unreadable(obstacle);
  try {
    const { value, offset } = type.decode(bufferOf(bytes), headerBytes, resolver);
    if (offset !== bytes.length) throw new Error(offset < 0 ? "truncated" : "trailing bytes");
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of a name decodes that record
    return { name, value } as AnyDecoded;
  } catch (error) {
    throw unreadable(`${name}: ${error instanceof Error ? error.message : "not Avro"}`);
  }
}

function readerOf(name: RecordName, type: Type, schema: string): Reader {
  if (schema === schemaVersions[name].at(-1)) return { name, type, resolver: undefined, obstacle: null };
  try {
    return { name, type, resolver: type.createResolver(avroType(schema)), obstacle: null };
  } catch {
    return { name, type, resolver: undefined, obstacle: `${name} was written with a schema that cannot be read as the newest one` };
  }
}

function newestTypes(): ReadonlyMap<RecordName, Type> {
  return new Map(recordNames.map((name) => [name, avroType(schemaVersions[name].at(-1) ?? "")]));
}

function typeIn(types: ReadonlyMap<RecordName, Type>, name: RecordName): Type {
  const type = types.get(name);
  if (type === undefined) throw new Error(`no schema of ${name}`);
  return type;
}

function recordNameOf(text: string): RecordName | null {
  const schema: unknown = JSON.parse(text);
  if (typeof schema !== "object" || schema === null || !("name" in schema)) return null;
  return recordNames.find((name) => schema.name === name || schema.name === `sluice.${name}`) ?? null;
}

/** The same memory. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function unreadable(reason: string): Fault {
  return new Fault("contracts.unreadable", reason, { isRetryable: false });
}
