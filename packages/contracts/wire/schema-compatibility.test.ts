import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { avroType } from "./avro-types.ts";
import { recordNames, schemaVersions } from "../generated/records.ts";
import { recordMap } from "./record-map.ts";
import { findIncompatibilities, buildSample } from "./schema-compatibility.ts";

const avro = join(import.meta.dirname, "..", "..", "..", "avro");
const lock: { readonly sha256: Readonly<Record<string, string>> } = JSON.parse(readFileSync(join(avro, "versions", "lock.json"), "utf8"));

test.each(recordNames)("every version of %s reads what every other version wrote, and keeps the rules for schemas", (name) => {
  expect(schemaVersions[name].length).toBeGreaterThan(0);
  expect(findIncompatibilities(name, schemaVersions[name])).toEqual([]);
});

test.each(recordNames)("a value written as %s is read back the same", (name) => {
  for (const text of schemaVersions[name]) {
    const type = avroType(text);
    for (const isFull of [true, false]) {
      const sample = buildSample(JSON.parse(text), isFull);
      expect(type.fromBuffer(type.toBuffer(sample))).toEqual(sample);
    }
  }
});

test("a version file is never changed, removed or added without its hash in lock.json", () => {
  const found = readdirSync(join(avro, "versions"), { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".avsc"));
  expect(found.toSorted()).toEqual(Object.keys(lock.sha256).toSorted());
  for (const path of found) {
    const hash = createHash("sha256")
      .update(readFileSync(join(avro, "versions", path)))
      .digest("hex");
    expect([path, hash]).toEqual([path, lock.sha256[path]]);
  }
});

test("the schemas in the code are the version files", () => {
  const files = Object.keys(lock.sha256).map((path) => JSON.stringify(JSON.parse(readFileSync(join(avro, "versions", path), "utf8"))));
  expect(
    Object.values(schemaVersions)
      .flatMap((versions) => versions)
      .toSorted(),
  ).toEqual(files.toSorted());
});

test("every record is on the map with a writer and a reader, and the map names no other", () => {
  expect([...new Set(recordMap.map(({ record }) => record))].toSorted()).toEqual(recordNames.toSorted());
  for (const { writtenBy, readBy } of recordMap) expect(writtenBy.length * readBy.length).toBeGreaterThan(0);
});

test("every shared type is used by a record", () => {
  const used = recordNames.map((name) => schemaVersions[name].at(-1)).join("\n");
  for (const file of readdirSync(join(avro, "types"))) {
    const { name }: { readonly name: string } = JSON.parse(readFileSync(join(avro, "types", file), "utf8"));
    expect([name, used.includes(`"name":"${name}"`)]).toEqual([name, true]);
  }
});

// Each rule has an example that breaks it.

const decimal = (scale: number, precision = 22) => ({ type: "bytes", logicalType: "decimal", precision, scale });
const record = (...fields: readonly object[]) =>
  JSON.stringify({ type: "record", name: "R", namespace: "sluice", doc: "A record.", fields });
const field = (name: string, type: unknown, more: object = { doc: "A field." }) => ({ name, type, ...more });
const kinds = (...symbols: readonly string[]) => ({ type: "enum", name: "Kind", doc: "A kind.", symbols, default: "UNKNOWN" });

test.each([
  ["a changed scale", [record(field("a", decimal(4))), record(field("a", decimal(2)))]],
  ["a changed precision", [record(field("a", decimal(4))), record(field("a", decimal(4, 20)))]],
  ["a new field without default", [record(field("a", "string")), record(field("a", "string"), field("b", "string"))]],
  ["a removed field without default", [record(field("a", "string"), field("b", "string")), record(field("a", "string"))]],
  ["a changed type", [record(field("a", "string")), record(field("a", "int"))]],
  ["an undocumented field", [record(field("a", "string", {}))]],
  ["a union of two types", [record(field("a", ["null", "string", "int"], { doc: "A field.", default: null }))]],
  ["an optional field without default", [record(field("a", ["null", "string"]))]],
  ["an enum without UNKNOWN", [record(field("a", { ...kinds("A", "B"), default: "A" }))]],
  ["a double", [record(field("a", "double"))]],
])("the compatibility check refuses %s", (_what, versions) => {
  expect(findIncompatibilities("R", versions)).not.toEqual([]);
});

test("an additional optional field or symbol is compatible, and a new reader takes an unknown symbol as UNKNOWN", () => {
  const first = record(field("kind", kinds("UNKNOWN", "A")));
  const second = record(field("kind", kinds("UNKNOWN", "A", "B")), field("note", ["null", "string"], { doc: "A field.", default: null }));
  expect(findIncompatibilities("R", [first, second])).toEqual([]);
  const [older, newer] = [avroType(first), avroType(second)];
  const written = newer.toBuffer({ kind: "B", note: "x" });
  expect(older.fromBuffer(written, older.createResolver(newer))).toEqual({ kind: "UNKNOWN" });
});
