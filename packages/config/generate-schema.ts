// Writes the JSON Schema of the configuration file, for editors, in an ignored folder: `./sluice generate` and
// `./sluice up` do so.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileJsonSchema } from "./file/file-json-schema.ts";

export const configSchemaFile = ".sluice/generated/config.schema.json";

export function buildConfigSchema(): string {
  const sample = readFileSync(new URL("sluice.sample.yaml", import.meta.url), "utf8");
  return `${JSON.stringify(fileJsonSchema(sample), null, 2)}\n`;
}

/** Writes the schema where the first line of a configuration file names it. */
export function generateConfigSchema(root: string): void {
  const path = join(root, configSchemaFile);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, buildConfigSchema());
}
