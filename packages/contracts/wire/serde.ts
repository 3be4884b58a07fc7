// The serde on top of avsc: the byte 0x00, the schema id as int32, Avro bytes. The reader is always the newest schema
// of a record; each writer's id has its resolver, built once.
//
// #1 Corrupt bytes (no value, wrong first byte, truncated, trailing bytes, an incompatible writer) are a
//    `contracts.unreadable` Fault, not retryable. The Fault gives the reason and never a value.
// #2 An unknown id is `contracts.unknown-schema`, retryable: after `learn` the same bytes can be decoded.
// #3 Encoding writes the newest schema or throws: nothing is coerced.

import { Fault } from "@sluice/kernel";
import type { Type } from "avsc";
import type { AnyDecodedRecord, Serde } from "../api.ts";
import { avroType } from "./avro-types.ts";
import { type RecordName, recordNames, schemaVersions } from "../generated/records.ts";

export interface WriterSchema {
  readonly id: number;
  readonly name: RecordName;
  /** The schema as JSON text. */
  readonly schema: string;
}

/** Looks up the schema of an id as JSON text; rejects with a retryable Fault while it is unavailable. */
export type SchemaLookup = (id: number) => Promise<string>;

interface Reader {
  readonly name: RecordName;
  readonly type: Type;
  /** Undefined where the writer is the newest schema itself. */
  readonly resolver: ReturnType<Type["createResolver"]> | undefined;
  /** The reason why records of this writer cannot be read; null where they can. */
  readonly unreadableReason: string | null;
}

const headerBytes = 5;
/**
 * Encoded records share chunks of memory, one behind the other, because an allocation per record costs more than
 * encoding it. A record that is kept keeps its whole chunk.
 */
const chunkBytes = 32 * 1024;
/** A record larger than this gets its own chunk. */
const chunkShareMax = 8 * 1024;
/** The most schema ids known at once; a registry holds a few for each record. */
const schemasMax = 10_000;

/**
 * Builds a serde over the given schemas. It writes with `newestIds` and asks `lookUp` for ids that it was not given.
 */
export function createSerde(schemas: readonly WriterSchema[], newestIds: ReadonlyMap<RecordName, number>, lookUp: SchemaLookup): Serde {
  const newest = newestTypes();
  const readers = new Map<number, Reader>();
  const learning = new Map<number, Promise<void>>();
  let chunk = Buffer.allocUnsafeSlow(chunkBytes);
  let chunkUsed = 0;
  for (const { id, name, schema } of schemas) readers.set(id, buildReader(name, requireType(newest, name), schema));

  async function learnId(id: number): Promise<void> {
    const schema = await lookUp(id);
    const name = readRecordName(schema);
    if (name === null) throw new Fault("contracts.unknown-record", `schema ${id} is of no record known here`, { isRetryable: true });
    if (readers.size >= schemasMax) throw new Fault("contracts.too-many-schemas", `${schemasMax} schemas are known`, { isRetryable: true });
    readers.set(id, buildReader(name, requireType(newest, name), schema));
  }

  function written(type: Type, id: number, value: unknown): Uint8Array {
    const from = chunkUsed;
    const end = type.encode(value, chunk, from + headerBytes);
    if (end >= 0) {
      chunkUsed = end;
      return withHeader(new Uint8Array(chunk.buffer, from, end - from), id);
    }
    // A negative number is the count of missing bytes.
    const needed = chunk.length - end - from;
    if (needed > chunkShareMax) {
      const own = Buffer.allocUnsafeSlow(needed);
      type.encode(value, own, headerBytes);
      return withHeader(new Uint8Array(own.buffer), id);
    }
    chunk = Buffer.allocUnsafeSlow(chunkBytes);
    chunkUsed = 0;
    return written(type, id, value);
  }

  return {
    encode(name, value) {
      const id = newestIds.get(name);
      if (id === undefined) throw new Error(`${name} has no schema id`);
      const type = requireType(newest, name);
      try {
        return written(type, id, value);
      } catch {
        throw new Error(`${name} does not fit its schema at ${listMisfits(type, value)}`);
      }
    },
    decode(bytes) {
      const id = readSchemaId(bytes);
      const reader = readers.get(id);
      if (reader === undefined) throw new Fault("contracts.unknown-schema", `schema ${id} is not known here`, { isRetryable: true });
      return decodeWith(reader, bytes);
    },
    learn(bytes) {
      const id = readSchemaId(bytes);
      if (readers.has(id)) return Promise.resolve();
      const known = learning.get(id);
      if (known !== undefined) return known;
      const started = learnId(id).finally(() => learning.delete(id));
      learning.set(id, started);
      return started;
    },
  };
}

/** The schema ids of `createFixedSerde`, by record and version, as `DayClosed/1`. */
export function fixedSchemaIds(): ReadonlyMap<string, number> {
  const names = recordNames.flatMap((name) => schemaVersions[name].map((_, index) => `${name}/${index + 1}`));
  return new Map(names.map((name, index) => [name, index + 1]));
}

/**
 * Builds a serde without a registry, with the ids 1..n for every version of every record, in the order of the generated
 * file. For tests and simulation.
 */
export function createFixedSerde(): Serde {
  const schemas: WriterSchema[] = [];
  const newestIds = new Map<RecordName, number>();
  for (const name of recordNames) {
    for (const schema of schemaVersions[name]) {
      schemas.push({ id: schemas.length + 1, name, schema });
      newestIds.set(name, schemas.length);
    }
  }
  return createSerde(schemas, newestIds, (id) =>
    Promise.reject(new Fault("contracts.unknown-schema", `schema ${id} is none of the fixed ones`, { isRetryable: true })),
  );
}

/** Reads the schema id from the header of a record's value. */
export function readSchemaId(bytes: Uint8Array | null): number {
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

/** Returns the paths that do not fit. avsc's own errors show the value, which may be an account number. */
function listMisfits(type: Type, value: unknown): string {
  const paths: string[] = [];
  type.isValid(value, { errorHook: (path) => paths.push(path.join(".")) });
  return paths.join(", ");
}

function decodeWith({ name, type, resolver, unreadableReason }: Reader, bytes: Uint8Array): AnyDecodedRecord {
  if (unreadableReason !== null) throw unreadable(unreadableReason);
  try {
    const { value, offset } = type.decode(toBuffer(bytes), headerBytes, resolver);
    if (offset !== bytes.length) throw new Error(offset < 0 ? "truncated" : "trailing bytes");
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of this name decodes that record
    return { name, value } as AnyDecodedRecord;
  } catch (error) {
    throw unreadable(`${name}: ${error instanceof Error ? error.message : "not Avro"}`);
  }
}

function buildReader(name: RecordName, type: Type, schema: string): Reader {
  if (schema === schemaVersions[name].at(-1)) return { name, type, resolver: undefined, unreadableReason: null };
  try {
    return { name, type, resolver: type.createResolver(avroType(schema)), unreadableReason: null };
  } catch {
    return { name, type, resolver: undefined, unreadableReason: `${name} was written with a schema that cannot be read as the newest one` };
  }
}

function newestTypes(): ReadonlyMap<RecordName, Type> {
  return new Map(recordNames.map((name) => [name, avroType(schemaVersions[name].at(-1) ?? "")]));
}

function requireType(types: ReadonlyMap<RecordName, Type>, name: RecordName): Type {
  const type = types.get(name);
  if (type === undefined) throw new Error(`no schema of ${name}`);
  return type;
}

function readRecordName(text: string): RecordName | null {
  const schema: unknown = JSON.parse(text);
  if (typeof schema !== "object" || schema === null || !("name" in schema)) return null;
  return recordNames.find((name) => schema.name === name || schema.name === `sluice.${name}`) ?? null;
}

/** Returns a Buffer over the same memory. */
function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function unreadable(reason: string): Fault {
  return new Fault("contracts.unreadable", reason, { isRetryable: false });
}
