// Makes the committed files that follow from avro/: packages/contracts/generated/records.ts, avro/README.md,
// avro/versions/. `node tools/generate/wire/contracts.ts [--check | --new-version | --rewrite-unreleased]`.
// With --check it writes nothing and names every difference.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
// Not imported from the package's index, which needs the generated file.
import { recordMap } from "@sluice/contracts/record-map";
import { mapText } from "./map.ts";
import { readSources, selfContained } from "./schemas.ts";
import { typesText } from "./types.ts";
import { settleVersions, type VersionMode } from "./versions.ts";

/** Generates, or compares with mode `check`. Returns complaints, one sentence each; none when all is well. */
export function generateContracts(root: string, mode: VersionMode): readonly string[] {
  const sources = readSources(root);
  const current = new Map(
    sources.records.map(({ file, schema }) => [file, `${JSON.stringify(selfContained(schema, sources), null, 2)}\n`]),
  );
  const { versions, complaints } = settleVersions(root, current, mode);
  if (complaints.length > 0) return complaints;
  const schemas = sources.records.map(({ file, schema }) => ({
    name: schema.name,
    versions: (versions.get(file) ?? []).map((text) => JSON.stringify(JSON.parse(text))),
  }));
  const files: readonly (readonly [string, string])[] = [
    [join("packages", "contracts", "generated", "records.ts"), typesText(sources, schemas)],
    [join("avro", "README.md"), mapText(sources, recordMap)],
  ];
  if (mode === "check") return files.flatMap(([path, text]) => difference(root, path, text));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return [];
}

function difference(root: string, path: string, text: string): readonly string[] {
  const found = existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : null;
  return found === text ? [] : [`${path} is not what avro/ gives: run ./sluice generate`];
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { check: { type: "boolean" }, "new-version": { type: "boolean" }, "rewrite-unreleased": { type: "boolean" } },
  });
  const modes = (["check", "new-version", "rewrite-unreleased"] as const).filter((mode) => values[mode] === true);
  if (modes.length > 1) throw new Error(`one of --${modes.join(", --")}`);
  const complaints = generateContracts(join(dirname(fileURLToPath(import.meta.url)), "../../.."), modes[0] ?? "keep");
  for (const complaint of complaints) console.error(complaint);
  process.exitCode = complaints.length === 0 ? 0 : 1;
}
