// Writes docs/config.schema.json: the configuration file for editors. `node packages/config/generate-schema.ts [--check]`.
// With --check nothing is written and a difference is named.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fileJsonSchema } from "./file-json-schema.ts";

export const schemaFile = "docs/config.schema.json";

/** Answers what differs, a sentence each; empty when all is well. */
export function generate(root: string, isCheck: boolean): readonly string[] {
  const sample = readFileSync(new URL("sluice.sample.yaml", import.meta.url), "utf8");
  const text = `${JSON.stringify(fileJsonSchema(sample), null, 2)}\n`;
  const path = join(root, schemaFile);
  if (!isCheck) writeFileSync(path, text);
  const isSame = existsSync(path) && readFileSync(path, "utf8") === text;
  return isSame ? [] : [`${schemaFile} is not what its sources give: run node packages/config/generate-schema.ts`];
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { check: { type: "boolean" } } });
  const complaints = generate(fileURLToPath(new URL("../..", import.meta.url)), values.check === true);
  for (const complaint of complaints) console.error(complaint);
  process.exitCode = complaints.length === 0 ? 0 : 1;
}
