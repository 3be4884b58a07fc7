// Writes the missing golden files: of each version of a record in avro/golden/, and of each outgoing body in
// packages/contracts/golden/. `node tools/generate/wire/golden.ts`. An existing file is never rewritten, because it
// records what was written then. Delete a file by hand only for an unreleased version, or for a body that is meant to
// change.

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { goldenBodies } from "@sluice/contracts/sample-bodies";
import { goldenSamples } from "@sluice/contracts/golden-records";

/** Writes the missing files under `root`, or with `isCheck` only looks. Returns their paths, relative to it. */
export function writeMissingGolden(root: string, isCheck = false): readonly string[] {
  const versions = join(root, "avro", "versions");
  const paths = readdirSync(versions, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".avsc"));
  const records = paths.map((path): readonly [string, () => string] => {
    const samples = () => goldenSamples(readFileSync(join(versions, path), "utf8"));
    return [join("avro", "golden", path.replace(/\.avsc$/, ".json")), () => `${JSON.stringify(samples(), null, 2)}\n`];
  });
  const bodies = goldenBodies().map(({ name, body }): readonly [string, () => string] => {
    return [join("packages", "contracts", "golden", `${name}.json`), () => new TextDecoder().decode(body)];
  });
  const missing = [...records, ...bodies].filter(([path]) => !existsSync(join(root, path)));
  for (const [path, text] of isCheck ? [] : missing) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text());
  }
  return missing.map(([path]) => path);
}

if (import.meta.main) {
  const isCheck = parseArgs({ options: { check: { type: "boolean" } } }).values.check === true;
  const missing = writeMissingGolden(join(dirname(fileURLToPath(import.meta.url)), "../../.."), isCheck);
  for (const path of missing) console.error(isCheck ? `${path} is missing: run ./sluice generate` : `${path} written`);
  process.exitCode = isCheck && missing.length > 0 ? 1 : 0;
}
