// Writes docs/api: the OpenAPI and AsyncAPI documents and the JSON Schemas, from one source. `node
// tools/generate-documents.ts [--check]`. With --check it writes nothing and names every difference.

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildDocuments } from "@sluice/documents/generate";

const schemas = "docs/api/schemas";

/** Returns the differences, one sentence each; none when all is well. */
export function generateDocuments(root: string, isCheck: boolean): readonly string[] {
  const made = buildDocuments();
  if (isCheck) {
    const stale = [...made].filter(([path, text]) => readText(join(root, path)) !== text).map(([path]) => path);
    const left = listFiles(root).filter((path) => !made.has(path));
    return [...stale, ...left].map((path) => `${path} is not what its sources give: run node tools/generate-documents.ts`);
  }
  for (const [path, text] of made) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return listFiles(root)
    .filter((path) => !made.has(path))
    .map((path) => `${path} has no source: remove it`);
}

function readText(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

function listFiles(root: string): readonly string[] {
  return existsSync(join(root, schemas)) ? readdirSync(join(root, schemas)).map((name) => `${schemas}/${name}`) : [];
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { check: { type: "boolean" } } });
  const complaints = generateDocuments(fileURLToPath(new URL("..", import.meta.url)), values.check === true);
  for (const complaint of complaints) console.error(complaint);
  process.exitCode = complaints.length === 0 ? 0 : 1;
}
