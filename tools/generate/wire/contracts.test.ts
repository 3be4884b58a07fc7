import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { generateContracts } from "./contracts.ts";

const root = join(import.meta.dirname, "../../..");
const copies: string[] = [];
afterEach(() => copies.splice(0).forEach((copy) => rmSync(copy, { recursive: true, force: true })));

/** Makes a copy of avro/ and of the files generated from it, to break. */
function copied(): string {
  const copy = mkdtempSync(join(tmpdir(), "sluice-avro-"));
  copies.push(copy);
  for (const path of ["avro", join("packages", "contracts", "generated")]) cpSync(join(root, path), join(copy, path), { recursive: true });
  return copy;
}

function edit(copy: string, path: string, change: (text: string) => string): void {
  writeFileSync(join(copy, path), change(readFileSync(join(copy, path), "utf8")));
}

test("the generated files agree with avro/", () => {
  expect(generateContracts(root, "check")).toEqual([]);
});

test("a changed schema, type or page is named", () => {
  const copy = copied();
  edit(copy, "avro/release.avsc", (text) => text.replace("Processing window.", "The window."));
  expect(generateContracts(copy, "check")).toEqual([expect.stringContaining("avro/versions/release does not end with the current schema")]);
  const other = copied();
  edit(other, "avro/README.md", (text) => `${text}more\n`);
  edit(other, "packages/contracts/generated/records.ts", (text) => text.replace("bigint", "number"));
  expect(generateContracts(other, "check")).toHaveLength(2);
});

test("a version is never changed or removed", () => {
  const copy = copied();
  edit(copy, "avro/versions/release/1.avsc", (text) => text.replace("Processing window.", "The window."));
  expect(generateContracts(copy, "new-version")).toContain(
    "avro/versions/release/1.avsc differs from lock.json: a version is never changed",
  );
  const other = copied();
  rmSync(join(other, "avro/versions/release"), { recursive: true });
  expect(generateContracts(other, "keep")).toContain("avro/versions/release/1.avsc is in lock.json and gone: a version is never removed");
});

test("a new version is added and the old ones stay", () => {
  const copy = copied();
  edit(copy, "avro/release.avsc", (text) => text.replace("Processing window.", "The window."));
  expect(generateContracts(copy, "keep")).toHaveLength(1);
  expect(generateContracts(copy, "new-version")).toEqual([]);
  expect(generateContracts(copy, "check")).toEqual([]);
  expect(readFileSync(join(copy, "avro/versions/release/1.avsc"), "utf8")).toContain("Processing window.");
  expect(readFileSync(join(copy, "avro/versions/release/2.avsc"), "utf8")).toContain("The window.");
});

test("the newest version may be rewritten until it is released", () => {
  const copy = copied();
  edit(copy, "avro/release.avsc", (text) => text.replace("Processing window.", "The window."));
  expect(generateContracts(copy, "rewrite-unreleased")).toEqual([
    "avro/versions/release does not end with the current schema: run ./sluice generate --new-version",
  ]);
  expect(generateContracts(copy, "new-version")).toEqual([]);
  edit(copy, "avro/release.avsc", (text) => text.replace("The window.", "Window."));
  expect(generateContracts(copy, "rewrite-unreleased")).toEqual([]);
  expect(generateContracts(copy, "check")).toEqual([]);
  expect(readFileSync(join(copy, "avro/versions/release/1.avsc"), "utf8")).toContain("Processing window.");
  expect(readFileSync(join(copy, "avro/versions/release/2.avsc"), "utf8")).toContain("Window.");
});

test("a file whose name is not its record's, and a name that no file defines, are refused", () => {
  const copy = copied();
  edit(copy, "avro/release.avsc", (text) => text.replace('"Release"', '"Released"'));
  expect(() => generateContracts(copy, "check")).toThrow("one spelling per concept");
  const other = copied();
  rmSync(join(other, "avro/types/code.avsc"));
  expect(() => generateContracts(other, "check")).toThrow("no file in avro/types defines Code");
});
