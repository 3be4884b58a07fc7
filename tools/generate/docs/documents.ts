// Writes the OpenAPI and AsyncAPI documents of docs/api, and the JSON Schemas in an ignored folder, from one source.
// `node tools/generate/docs/documents.ts [--check]`. With --check it writes nothing and names every difference in
// docs/api.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildDocuments } from "@sluice/documents/generate";

/** Returns the differences, one sentence each; none when all is well. */
export function generateDocuments(root: string, isCheck: boolean): readonly string[] {
  const made = buildDocuments();
  if (isCheck) {
    const stale = [...made].filter(([path, text]) => path.startsWith("docs/") && readText(join(root, path)) !== text);
    return stale.map(([path]) => `${path} is not what its sources give: run ./sluice generate`);
  }
  for (const [path, text] of made) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return [];
}

function readText(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { check: { type: "boolean" } } });
  const complaints = generateDocuments(fileURLToPath(new URL("../../..", import.meta.url)), values.check === true);
  for (const complaint of complaints) console.error(complaint);
  process.exitCode = complaints.length === 0 ? 0 : 1;
}
