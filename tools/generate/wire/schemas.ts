// Reads the sources of the wire: avro/*.avsc are top-level records, avro/types/*.avsc the types that they share. A
// named type is referred to by its bare name (namespace `sluice`). The result is self-contained: each named type is
// defined at its first use.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

export type Schema = string | readonly Schema[] | NamedSchema | ArraySchema | MapSchema | PlainSchema;
export interface Field {
  readonly name: string;
  readonly type: Schema;
  readonly doc: string;
  readonly default?: unknown;
  /** True: it says something of a person, so it is only in what is sealed. */
  readonly personal?: true;
}
export interface RecordSchema {
  readonly type: "record";
  readonly name: string;
  readonly namespace?: string;
  readonly doc: string;
  readonly fields: readonly Field[];
}
export interface EnumSchema {
  readonly type: "enum";
  readonly name: string;
  readonly namespace?: string;
  readonly doc: string;
  readonly symbols: readonly string[];
  readonly default: string;
}
type NamedSchema = RecordSchema | EnumSchema;
interface ArraySchema {
  readonly type: "array";
  readonly items: Schema;
}
interface MapSchema {
  readonly type: "map";
  readonly values: Schema;
}
/** A primitive, with or without a logical type. */
interface PlainSchema {
  readonly type: "bytes" | "int" | "long" | "string" | "boolean";
  readonly logicalType?: string;
  readonly precision?: number;
  readonly scale?: number;
}

interface Source {
  /** The file name without its ending, for example `direct-debit-received`. */
  readonly file: string;
  readonly schema: RecordSchema;
}

export interface Sources {
  readonly records: readonly Source[];
  readonly types: readonly Source[];
}

const primitives: ReadonlySet<string> = new Set(["null", "boolean", "int", "long", "bytes", "string"]);

/** Reads avro/ under `root`; throws where a file's name differs from its record's. */
export function readSources(root: string): Sources {
  return { records: readFolder(join(root, "avro")), types: readFolder(join(root, "avro", "types")) };
}

/** Returns the record with every named type inlined at its first use; later uses are bare names. */
export function selfContained(record: RecordSchema, sources: Sources): RecordSchema {
  const named = new Map(sources.types.map((source) => [source.schema.name, source.schema]));
  const seen = new Set<string>([record.name]);
  function inline(schema: Schema): Schema {
    if (typeof schema === "string") {
      if (primitives.has(schema) || seen.has(schema)) return schema;
      const found = named.get(schema);
      if (found === undefined) throw new Error(`${record.name}: no file in avro/types defines ${schema}`);
      seen.add(schema);
      return withoutNamespace({ ...found, fields: found.fields.map(inlineField) });
    }
    if (isUnion(schema)) return schema.map(inline);
    if (schema.type === "array") return { ...schema, items: inline(schema.items) };
    if (schema.type === "map") return { ...schema, values: inline(schema.values) };
    if (schema.type === "enum") seen.add(schema.name);
    if (schema.type === "record") throw new Error(`${record.name}: give ${schema.name} a file of its own in avro/types`);
    return schema;
  }
  // The mark is for our own code: it changes nothing on the wire, so it makes no new version.
  function inlineField({ personal: _mark, ...field }: Field): Field {
    return { ...field, type: inline(field.type) };
  }
  return { ...record, fields: record.fields.map(inlineField) };
}

export function isUnion(schema: Schema): schema is readonly Schema[] {
  return Array.isArray(schema);
}

/** Lists every enum defined in the given records and types, in order. */
export function collectEnums(sources: Sources): readonly EnumSchema[] {
  const enums: EnumSchema[] = [];
  for (const source of [...sources.records, ...sources.types]) {
    for (const field of source.schema.fields) {
      if (typeof field.type !== "string" && !isUnion(field.type) && field.type.type === "enum") enums.push(field.type);
    }
  }
  return enums;
}

/** Lists the names that a schema refers to, without its own. */
export function collectNames(schema: Schema): readonly string[] {
  if (typeof schema === "string") return primitives.has(schema) ? [] : [schema];
  if (isUnion(schema)) return schema.flatMap(collectNames);
  if (schema.type === "array") return collectNames(schema.items);
  if (schema.type === "map") return collectNames(schema.values);
  if (schema.type === "record") return schema.fields.flatMap((field) => collectNames(field.type));
  return [];
}

function withoutNamespace(schema: RecordSchema): RecordSchema {
  const { namespace: _inherited, ...rest } = schema;
  return rest;
}

function readFolder(folder: string): readonly Source[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".avsc"))
    .sort();
  return files.map((name) => {
    const file = name.slice(0, -".avsc".length);
    const schema: RecordSchema = JSON.parse(readFileSync(join(folder, name), "utf8"));
    if (kebab(schema.name) !== file) throw new Error(`avro/${name} holds ${schema.name}: one spelling per concept`);
    return { file, schema };
  });
}

function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "-").toLowerCase();
}
