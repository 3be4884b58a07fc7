import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { generateDocuments } from "./generate-documents.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const copies: string[] = [];
afterEach(() => copies.splice(0).forEach((copy) => rmSync(copy, { recursive: true, force: true })));

function copied(): string {
  const copy = mkdtempSync(join(tmpdir(), "sluice-api-"));
  copies.push(copy);
  cpSync(join(root, "docs", "api"), join(copy, "docs", "api"), { recursive: true });
  return copy;
}

test("docs/api agrees with its sources", () => {
  expect(generateDocuments(root, true)).toEqual([]);
});

test("a document that was changed, is missing, or has no source is named", () => {
  const copy = copied();
  const path = join(copy, "docs", "api", "openapi.json");
  writeFileSync(path, readFileSync(path, "utf8").replace("1250.50", "1250.5"));
  rmSync(join(copy, "docs", "api", "asyncapi.json"));
  writeFileSync(join(copy, "docs", "api", "schemas", "old.json"), "{}");
  expect(generateDocuments(copy, true)).toEqual([
    expect.stringContaining("docs/api/openapi.json"),
    expect.stringContaining("docs/api/asyncapi.json"),
    expect.stringContaining("docs/api/schemas/old.json"),
  ]);
  expect(generateDocuments(copy, false)).toEqual(["docs/api/schemas/old.json has no source: remove it"]);
  rmSync(join(copy, "docs", "api", "schemas", "old.json"));
  expect(generateDocuments(copy, true)).toEqual([]);
});
