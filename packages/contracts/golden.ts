// Golden files of the wire: what a version of a record wrote, as bytes, and what these bytes say. They are made once for each
// version, committed, and read by every later reader for ever; `golden.test.ts` does so.
//
// 1. Plain Avro, without the header of the wire format: ids are the registry's own.
// 2. Each text, number and byte is another, by the place where it stands, so that two members cannot change places unseen.
// 3. JSON says a bigint as its digits and `n`, bytes as `hex:` and their digits.

import { avroType } from "./avro-types.ts";
import { fieldsOf, namedIn, partsOf } from "./schema-gate.ts";
import type { Parts } from "./schema-gate.ts";

export type Said = string | number | boolean | null | readonly Said[] | { readonly [name: string]: Said };

export interface GoldenSample {
  readonly what: "every member" | "no optional member";
  /** Plain Avro bytes, hex. */
  readonly avro: string;
  readonly says: Said;
}

/** Samples of what a version writes; the schema as JSON text. */
export function goldenSamples(schemaText: string): readonly GoldenSample[] {
  const type = avroType(schemaText);
  return ([true, false] as const).map((isFull) => {
    const value = sampleValue(schemaText, isFull);
    const what = isFull ? "every member" : "no optional member";
    return { what, avro: Buffer.from(type.toBuffer(value)).toString("hex"), says: saidBy(value) };
  });
}

/** What a reader says of bytes that a writer wrote; both schemas as JSON text. */
export function readGolden(sample: GoldenSample, writerText: string, readerText: string): Said {
  const [writer, reader] = [avroType(writerText), avroType(readerText)];
  return saidBy(reader.fromBuffer(Buffer.from(sample.avro, "hex"), reader.createResolver(writer)));
}

/** What a reader has to say where the writer said `says`: its own fields, with its defaults for those that the writer did not have. */
export function expectedOf(says: Said, readerText: string): Said {
  const schema: unknown = JSON.parse(readerText);
  const named = namedIn(schema);
  function project(said: Said, of: unknown): Said {
    if (Array.isArray(of)) return said === null ? null : project(said, of[1]);
    const parts = typeof of === "string" ? (named.get(of) ?? {}) : partsOf(of);
    if (Array.isArray(said)) return said.map((item) => project(item, parts["items"]));
    if (typeof said !== "object" || said === null) return said;
    const entries: readonly [string, Said][] = Object.entries(said);
    if (parts["type"] === "map") return Object.fromEntries(entries.map(([name, value]) => [name, project(value, parts["values"])]));
    const given = new Map(entries);
    return Object.fromEntries(
      fieldsOf(parts).map((field) => {
        const name = String(field["name"]);
        const value = given.get(name);
        return [name, value === undefined ? saidBy(field["default"]) : project(value, field["type"])];
      }),
    );
  }
  return project(says, schema);
}

/** A value of a schema, every leaf another. */
function sampleValue(schemaText: string, isFull: boolean): unknown {
  const whole: unknown = JSON.parse(schemaText);
  const named = namedIn(whole);
  let count = 0;

  function of(schema: unknown, place: string): unknown {
    if (Array.isArray(schema)) return isFull ? of(schema[1], place) : null;
    const parts = typeof schema === "string" ? (named.get(schema) ?? { type: schema }) : partsOf(schema);
    switch (parts["type"]) {
      case "record":
        return Object.fromEntries(
          fieldsOf(parts).map(({ name, type }) => [name, of(type, place === "" ? String(name) : `${place}.${String(name)}`)]),
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

function leaf(parts: Parts, place: string, count: number): unknown {
  if (parts["logicalType"] === "decimal") return 10n ** 20n + BigInt(count);
  if (parts["logicalType"] === "timestamp-millis") return 1_763_600_000_000 + count;
  const leaves: Parts = {
    string: place,
    int: count,
    long: 2n ** 60n + BigInt(count),
    boolean: count % 2 === 0,
    bytes: new Uint8Array([0, 255, count % 256]),
  };
  return leaves[String(parts["type"])] ?? null;
}

function saidBy(value: unknown): Said {
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Uint8Array) return `hex:${Buffer.from(value).toString("hex")}`;
  if (Array.isArray(value)) return value.map(saidBy);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, saidBy(member)]));
  }
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return null;
}
