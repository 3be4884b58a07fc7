import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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
  for (const folder of ["api", "data-contracts"]) cpSync(join(root, "docs", folder), join(copy, "docs", folder), { recursive: true });
  return copy;
}

test("docs/api agrees with its sources", () => {
  expect(generateDocuments(root, true)).toEqual([]);
});

test("a document that was changed or is missing is named", () => {
  const copy = copied();
  const path = join(copy, "docs", "api", "openapi.yaml");
  writeFileSync(path, readFileSync(path, "utf8").replace("1250.50", "1250.5"));
  rmSync(join(copy, "docs", "api", "asyncapi.yaml"));
  rmSync(join(copy, "docs", "data-contracts", "sluice.days.v1.odcs.yaml"));
  expect(generateDocuments(copy, true)).toEqual([
    expect.stringContaining("docs/api/openapi.yaml"),
    expect.stringContaining("docs/api/asyncapi.yaml"),
    expect.stringContaining("docs/data-contracts/sluice.days.v1.odcs.yaml"),
  ]);
  expect(generateDocuments(copy, false)).toEqual([]);
  expect(generateDocuments(copy, true)).toEqual([]);
  expect(readdirSync(join(copy, ".sluice", "generated", "schemas"))).toContain("direct-debit.json");
});

const linesMax = { openapi: 3_000, control: 3_000, asyncapi: 3_000 } as const;

test("each document is short enough to be read: less than 3,000 lines", () => {
  for (const [name, lines] of Object.entries(linesMax)) {
    expect([name, readFileSync(join(root, "docs", "api", `${name}.yaml`), "utf8").split("\n").length < lines]).toEqual([name, true]);
  }
});
