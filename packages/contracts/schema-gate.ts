// The schema gate: what may follow what on the wire. The registry is asked too (FULL_TRANSITIVE), but it accepts a changed
// decimal and knows nothing of docs; so this is the gate that counts.
//
// 1. Every version of a record reads what every other version wrote, both ways.
// 2. A decimal keeps its precision and scale. 3. Enums have the default UNKNOWN, as first symbol.
// 4. Every record, field and enum is documented. 5. Unions are ["null", X] with default null; no float, no double.

import { avroType } from "./avro-types.ts";

export type Parts = { readonly [name: string]: unknown };

/** What stands against the versions of one record, given as JSON text, oldest first: a sentence each. */
export function gateComplaints(record: string, versions: readonly string[]): readonly string[] {
  const complaints = versions.flatMap((text, index) => formComplaints(JSON.parse(text), `${record}/${index + 1}`));
  for (const [written, writer] of versions.entries()) {
    for (const [read, reader] of versions.entries()) {
      const reason = whyUnreadable(writer, reader);
      if (reason !== null) complaints.push(`${record}: version ${read + 1} cannot read version ${written + 1}: ${reason}`);
    }
  }
  return complaints;
}

/** A value of a schema: with every optional member, or with none. */
export function sampleOf(schema: unknown, isFull: boolean, named: ReadonlyMap<string, Parts> = namedIn(schema)): unknown {
  if (typeof schema === "string") {
    const found = named.get(schema);
    return found === undefined ? plainSample(schema) : sampleOf(found, isFull, named);
  }
  if (Array.isArray(schema)) return isFull ? sampleOf(schema[1], isFull, named) : null;
  const parts = partsOf(schema);
  if (parts["type"] === "record") {
    return Object.fromEntries(fieldsOf(parts).map((field) => [field["name"], sampleOf(field["type"], isFull, named)]));
  }
  if (parts["type"] === "enum") return Array.isArray(parts["symbols"]) ? parts["symbols"].at(-1) : null;
  if (parts["type"] === "array") return isFull ? [sampleOf(parts["items"], isFull, named)] : [];
  if (parts["type"] === "map") return isFull ? { key: sampleOf(parts["values"], isFull, named) } : {};
  if (parts["logicalType"] === "decimal") return -12_505_000n;
  if (parts["logicalType"] === "timestamp-millis") return 1_763_600_000_000;
  return plainSample(parts["type"]);
}

/** Records and enums by name, wherever they stand. */
export function namedIn(schema: unknown): ReadonlyMap<string, Parts> {
  if (typeof schema !== "object" || schema === null) return new Map();
  const inner = Object.values(schema).flatMap((part) => [...namedIn(part)]);
  const parts = partsOf(schema);
  const isNamed = (parts["type"] === "record" || parts["type"] === "enum") && typeof parts["name"] === "string";
  return new Map(isNamed ? [...inner, [String(parts["name"]), parts]] : inner);
}

function whyUnreadable(writer: string, reader: string): string | null {
  try {
    const [from, to] = [avroType(writer), avroType(reader)];
    const resolver = to.createResolver(from);
    for (const isFull of [true, false]) to.fromBuffer(from.toBuffer(sampleOf(JSON.parse(writer), isFull)), resolver);
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
  const parts = partsOf(schema);
  switch (parts["type"]) {
    case "record":
      return [...docComplaint(parts, at), ...fieldsOf(parts).flatMap((field) => fieldComplaints(field, `${at}.${String(field["name"])}`))];
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

function fieldComplaints(field: Parts, at: string): readonly string[] {
  const isMisdefaulted = Array.isArray(field["type"]) && field["default"] !== null;
  return [...docComplaint(field, at), ...(isMisdefaulted ? [`${at}: its default is null`] : []), ...formComplaints(field["type"], at)];
}

function docComplaint(parts: Parts, at: string): readonly string[] {
  return typeof parts["doc"] === "string" && parts["doc"] !== "" ? [] : [`${at}: no doc`];
}

export function fieldsOf(parts: Parts): readonly Parts[] {
  return Array.isArray(parts["fields"]) ? parts["fields"].map(partsOf) : [];
}

export function partsOf(schema: unknown): Parts {
  return typeof schema === "object" && schema !== null ? Object.fromEntries(Object.entries(schema)) : {};
}

function plainSample(name: unknown): unknown {
  const samples: Parts = { string: "text", int: 7, long: -(2n ** 60n), boolean: true, bytes: new Uint8Array([0, 255]), null: null };
  return samples[String(name)];
}
