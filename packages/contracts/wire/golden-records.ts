// Golden files of the wire: the bytes that a version of a record wrote, and the values in them. They are made once for
// each version, committed, and read by every later reader forever; `golden.test.ts` checks that.
//
// #1 The bytes are plain Avro, without the header of the wire format, because schema ids belong to the registry.
// #2 Every text, number and byte is unique and derived from its place, so that two swapped members cannot go unnoticed.
// #3 JSON shows a bigint as its digits and `n`, and bytes as `hex:` and their digits.

import { avroType } from "./avro-types.ts";
import { collectNamed, readFields, type SchemaParts, toParts } from "./schema-compatibility.ts";

export type GoldenValue = string | number | boolean | null | readonly GoldenValue[] | { readonly [name: string]: GoldenValue };

export interface GoldenSample {
  readonly what: "every member" | "no optional member";
  /** The plain Avro bytes, in hex. */
  readonly avro: string;
  readonly says: GoldenValue;
}

/** Builds the samples of what a version writes; the schema is JSON text. */
export function goldenSamples(schemaText: string): readonly GoldenSample[] {
  const type = avroType(schemaText);
  return ([true, false] as const).map((isFull) => {
    const value = sampleValue(schemaText, isFull);
    const what = isFull ? "every member" : "no optional member";
    return { what, avro: Buffer.from(type.toBuffer(value)).toString("hex"), says: saidBy(value) };
  });
}

/** Decodes a writer's bytes with a reader's schema; both schemas are JSON text. */
export function readGolden(sample: GoldenSample, writerText: string, readerText: string): GoldenValue {
  const [writer, reader] = [avroType(writerText), avroType(readerText)];
  return saidBy(reader.fromBuffer(Buffer.from(sample.avro, "hex"), reader.createResolver(writer)));
}

/**
 * Computes what a reader must return where the writer wrote `says`: its own fields, with its defaults for fields that
 * the writer did not have.
 */
export function expectReading(says: GoldenValue, readerText: string): GoldenValue {
  const schema: unknown = JSON.parse(readerText);
  const named = collectNamed(schema);
  function project(said: GoldenValue, of: unknown): GoldenValue {
    if (Array.isArray(of)) return said === null ? null : project(said, of[1]);
    const parts = typeof of === "string" ? (named.get(of) ?? {}) : toParts(of);
    if (Array.isArray(said)) return said.map((item) => project(item, parts["items"]));
    if (typeof said !== "object" || said === null) return said;
    const entries: readonly [string, GoldenValue][] = Object.entries(said);
    if (parts["type"] === "map") return Object.fromEntries(entries.map(([name, value]) => [name, project(value, parts["values"])]));
    const given = new Map(entries);
    return Object.fromEntries(
      readFields(parts).map((field) => {
        const name = String(field["name"]);
        const value = given.get(name);
        return [name, value === undefined ? saidBy(field["default"]) : project(value, field["type"])];
      }),
    );
  }
  return project(says, schema);
}

/** Builds a value of a schema in which every leaf differs. */
function sampleValue(schemaText: string, isFull: boolean): unknown {
  const whole: unknown = JSON.parse(schemaText);
  const named = collectNamed(whole);
  let count = 0;

  function of(schema: unknown, place: string): unknown {
    if (Array.isArray(schema)) return isFull ? of(schema[1], place) : null;
    const parts = typeof schema === "string" ? (named.get(schema) ?? { type: schema }) : toParts(schema);
    switch (parts["type"]) {
      case "record":
        return Object.fromEntries(
          readFields(parts).map(({ name, type }) => [name, of(type, place === "" ? String(name) : `${place}.${String(name)}`)]),
        );
      case "enum":
        return Array.isArray(parts["symbols"]) ? parts["symbols"].at(-1) : null;
      case "array":
        return isFull ? [0, 1].map((index) => of(parts["items"], `${place}.${index}`)) : [];
      case "map":
        return isFull ? { [`${place} key`]: of(parts["values"], `${place}.value`) } : {};
      default:
        count += 1;
        return leaf(parts, place, count);
    }
  }
  return of(whole, "");
}

function leaf(parts: SchemaParts, place: string, count: number): unknown {
  if (parts["logicalType"] === "decimal") return 10n ** 20n + BigInt(count);
  if (parts["logicalType"] === "timestamp-millis") return 1_763_600_000_000 + count;
  if (parts["logicalType"] === "date") return new Date(Date.UTC(2026, 10, 20) + count * 86_400_000).toISOString().slice(0, 10);
  const leaves: SchemaParts = {
    string: place,
    int: count,
    long: 2n ** 60n + BigInt(count),
    boolean: count % 2 === 0,
    bytes: new Uint8Array([0, 255, count % 256]),
  };
  return leaves[String(parts["type"])] ?? null;
}

function saidBy(value: unknown): GoldenValue {
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Uint8Array) return `hex:${Buffer.from(value).toString("hex")}`;
  if (Array.isArray(value)) return value.map(saidBy);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, saidBy(member)]));
  }
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return null;
}
