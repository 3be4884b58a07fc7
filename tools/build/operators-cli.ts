// Builds the operators' command line as a package that runs without this repository, in `packages/cli/dist`: JavaScript
// without dependencies. `node tools/build/operators-cli.ts`, then `npm pack ./packages/cli/dist`.
//
// #1 The command is `sluice` there, so its texts do not say `./sluice`. There is no `up`, so no text names it.
// #2 The package says the commit that it was built from, because it has no history.

import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const project = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(project, "packages", "cli");
const entry = fileURLToPath(new URL("../../packages/cli/operators.ts", import.meta.url));
const target = join(folder, "dist");
const version = "0.1.0";

/** #1 */
const withUp = "start one with ./sluice up, or ";
/** Completions name both commands; a file is no command. */
const inRepository = /(?<!sluice )\.\/sluice\b(?![./])/g;

const { stdout } = spawnSync("git", ["-C", project, "log", "-1", "--format=%h of %cs"], { encoding: "utf8" });
const commit = stdout?.trim() || "without a commit";
rmSync(target, { recursive: true, force: true });
let namesUp = false;
await build({
  input: { sluice: entry },
  platform: "node",
  logLevel: "warn",
  plugins: [
    {
      name: "operators",
      load: (id) => (id.endsWith("/terminal/version.ts") ? versionModule() : null),
      transform(code, id) {
        if (!id.includes("/packages/cli/") && !id.includes("/packages/timeline/")) return null;
        namesUp ||= code.includes(withUp);
        return { code: code.replaceAll(withUp, "").replaceAll(inRepository, "sluice") };
      },
    },
  ],
  output: { dir: target, format: "esm", banner: (chunk) => (chunk.isEntry ? "#!/usr/bin/env node" : "") },
});
if (!namesUp) throw new Error(`no text says "${withUp}" any more`);
const manifest = {
  name: "@sluice/cli",
  version,
  license: "UNLICENSED",
  type: "module",
  bin: { sluice: "./sluice.js" },
  engines: { node: ">=26" },
};
writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(join(project, "docs", "operators-cli.md"), join(target, "README.md"));

/** #2 */
function versionModule(): string {
  const text = `sluice ${version}, ${commit}`;
  return `export function describeVersion() { return ${JSON.stringify(text)} + ", Node " + process.versions.node; }`;
}
