// Writes docs/config.schema.json, the JSON Schema of the configuration file for editors:
// `node packages/config/generate-schema.ts [--check]`. With --check it writes nothing and names a difference.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fileJsonSchema } from "./file/file-json-schema.ts";

export const configSchemaFile = "docs/config.schema.json";

/** Answers one sentence per difference; empty if there is none. */
export function generateConfigSchema(root: string, isCheck: boolean): readonly string[] {
  const sample = readFileSync(new URL("sluice.sample.yaml", import.meta.url), "utf8");
  const text = `${JSON.stringify(fileJsonSchema(sample), null, 2)}\n`;
  const path = join(root, configSchemaFile);
  if (!isCheck) writeFileSync(path, text);
  const isSame = existsSync(path) && readFileSync(path, "utf8") === text;
  return isSame ? [] : [`${configSchemaFile} is not what its sources give: run node packages/config/generate-schema.ts`];
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { check: { type: "boolean" } } });
  const complaints = generateConfigSchema(fileURLToPath(new URL("../..", import.meta.url)), values.check === true);
  for (const complaint of complaints) console.error(complaint);
  process.exitCode = complaints.length === 0 ? 0 : 1;
}
