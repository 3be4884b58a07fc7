// Decides which schema may follow which on the wire. The registry checks too (FULL_TRANSITIVE), but it accepts a
// changed decimal and ignores docs, so this check is the one that counts.
//
// #1 Every version of a record reads what every other wrote, both ways.
// #2 A decimal keeps its precision and scale.
// #3 Enums have the default UNKNOWN as their first symbol.
// #4 Every record, field and enum is documented.
// #5 Unions are ["null", X] with default null; there is no float and no double.

import { avroType } from "./avro-types.ts";

export type SchemaParts = { readonly [name: string]: unknown };

/**
 * Returns what is wrong with the versions of one record, one sentence each. The versions are JSON text, oldest first.
 */
export function findIncompatibilities(record: string, versions: readonly string[]): readonly string[] {
  const complaints = versions.flatMap((text, index) => formComplaints(JSON.parse(text), `${record}/${index + 1}`));
  for (const [written, writer] of versions.entries()) {
    for (const [read, reader] of versions.entries()) {
      const reason = findUnreadableReason(writer, reader);
      if (reason !== null) complaints.push(`${record}: version ${read + 1} cannot read version ${written + 1}: ${reason}`);
    }
  }
  return complaints;
}

/** Builds a value of a schema, with every optional member or with none. */
export function buildSample(schema: unknown, isFull: boolean, named: ReadonlyMap<string, SchemaParts> = collectNamed(schema)): unknown {
  if (typeof schema === "string") {
    const found = named.get(schema);
    return found === undefined ? plainSample(schema) : buildSample(found, isFull, named);
  }
  if (Array.isArray(schema)) return isFull ? buildSample(schema[1], isFull, named) : null;
  const parts = toParts(schema);
  if (parts["type"] === "record") {
    return Object.fromEntries(readFields(parts).map((field) => [field["name"], buildSample(field["type"], isFull, named)]));
  }
  if (parts["type"] === "enum") return Array.isArray(parts["symbols"]) ? parts["symbols"].at(-1) : null;
  if (parts["type"] === "array") return isFull ? [buildSample(parts["items"], isFull, named)] : [];
  if (parts["type"] === "map") return isFull ? { key: buildSample(parts["values"], isFull, named) } : {};
  if (parts["logicalType"] === "decimal") return -12_505_000n;
  if (parts["logicalType"] === "date") return "2026-11-20";
  if (parts["logicalType"] === "timestamp-millis") return 1_763_600_000_000;
  return plainSample(parts["type"]);
}

/** Collects records and enums by name, at any depth. */
export function collectNamed(schema: unknown): ReadonlyMap<string, SchemaParts> {
  if (typeof schema !== "object" || schema === null) return new Map();
  const inner = Object.values(schema).flatMap((part) => [...collectNamed(part)]);
  const parts = toParts(schema);
  const isNamed = (parts["type"] === "record" || parts["type"] === "enum") && typeof parts["name"] === "string";
  return new Map(isNamed ? [...inner, [String(parts["name"]), parts]] : inner);
}

function findUnreadableReason(writer: string, reader: string): string | null {
  try {
    const [from, to] = [avroType(writer), avroType(reader)];
    const resolver = to.createResolver(from);
    for (const isFull of [true, false]) to.fromBuffer(from.toBuffer(buildSample(JSON.parse(writer), isFull)), resolver);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : "it throws";
  }
}

function formComplaints(schema: unknown, at: string): string[] {
  if (typeof schema === "string") return schema === "float" || schema === "double" ? [`${at}: ${schema} is not used`] : [];
  if (Array.isArray(schema)) {
    const isNullable = schema.length === 2 && schema[0] === "null";
    return [...(isNullable ? [] : [`${at}: only ["null", X]`]), ...schema.flatMap((branch) => formComplaints(branch, at))];
  }
  const parts = toParts(schema);
  switch (parts["type"]) {
    case "record":
      return [
        ...docComplaint(parts, at),
        ...readFields(parts).flatMap((field) => fieldComplaints(field, `${at}.${String(field["name"])}`)),
      ];
    case "enum": {
      const isOpen = parts["default"] === "UNKNOWN" && Array.isArray(parts["symbols"]) && parts["symbols"][0] === "UNKNOWN";
      return [...docComplaint(parts, at), ...(isOpen ? [] : [`${at}: an enum starts with UNKNOWN, its default`])];
    }
    case "array":
      return formComplaints(parts["items"], at);
    case "map":
      return formComplaints(parts["values"], at);
    default:
      return formComplaints(parts["type"], at);
  }
}

function fieldComplaints(field: SchemaParts, at: string): readonly string[] {
  const isMisdefaulted = Array.isArray(field["type"]) && field["default"] !== null;
  return [...docComplaint(field, at), ...(isMisdefaulted ? [`${at}: its default is null`] : []), ...formComplaints(field["type"], at)];
}

function docComplaint(parts: SchemaParts, at: string): readonly string[] {
  return typeof parts["doc"] === "string" && parts["doc"] !== "" ? [] : [`${at}: no doc`];
}

export function readFields(parts: SchemaParts): readonly SchemaParts[] {
  return Array.isArray(parts["fields"]) ? parts["fields"].map(toParts) : [];
}

export function toParts(schema: unknown): SchemaParts {
  return typeof schema === "object" && schema !== null ? Object.fromEntries(Object.entries(schema)) : {};
}

function plainSample(name: unknown): unknown {
  const samples: SchemaParts = { string: "text", int: 7, long: -(2n ** 60n), boolean: true, bytes: new Uint8Array([0, 255]), null: null };
  return samples[String(name)];
}
