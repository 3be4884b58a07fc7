import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { buildDocuments } from "@sluice/documents/generate";
import { generateDocuments } from "./documents.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
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

const linesMax = 3_000;

test("each file of a document is short enough to be read: less than 3,000 lines", () => {
  const files = readdirSync(join(root, "docs", "api"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".yaml"));
  expect(files).toContain(join("control", "banks.yaml"));
  const lines = files.map((file) => [file, readFileSync(join(root, "docs", "api", file), "utf8").split("\n").length] as const);
  expect(lines.filter(([, count]) => count >= linesMax)).toEqual([]);
});

test("docs/api has no file that is not generated, but its page", () => {
  const files = readdirSync(join(root, "docs", "api"), { recursive: true, encoding: "utf8" }).filter((file) => /\.\w+$/.test(file));
  const made = [...buildDocuments().keys()].filter((path) => path.startsWith("docs/api/"));
  expect(files.map((file) => `docs/api/${file}`).toSorted()).toEqual([...made, "docs/api/README.md"].toSorted());
});
