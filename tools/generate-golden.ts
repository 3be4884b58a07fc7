// Writes the golden files that are missing: of each version of a record in avro/golden/, of each body that leaves in
// packages/contracts/golden/. `node tools/generate-golden.ts`. What is there is never rewritten: it says what was written then. Only
// a file of a version that is not released, or of a body that is meant to change, may be deleted by hand and made anew.

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { goldenBodies } from "@sluice/contracts/given-bodies";
import { goldenSamples } from "@sluice/contracts/golden";

/** Writes what is missing under `root`; answers the paths written, from it. */
export function writeMissing(root: string): readonly string[] {
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
  for (const [path, text] of missing) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text());
  }
  return missing.map(([path]) => path);
}

if (import.meta.main) {
  for (const path of writeMissing(join(dirname(fileURLToPath(import.meta.url)), ".."))) console.log(`${path} written`);
}
