// Builds the package as others install it, in `dist`: JavaScript, types, and a manifest without what only this project
// needs. `node packages/testcontainers/build.ts`, then `npm pack ./packages/testcontainers/dist`.

import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const target = join(folder, "dist");
const compiler = join(folder, "..", "..", "node_modules", "typescript", "bin", "tsc");

rmSync(target, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [compiler, "-p", join(folder, "tsconfig.build.json")], { stdio: "inherit" });
if (status !== 0) throw new Error(`the compiler ended with ${status}`);
const manifest: Record<string, unknown> = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const { private: _private, devDependencies: _tests, ...published } = manifest;
const exports = {
  ".": { types: "./index.d.ts", default: "./index.js" },
  "./kafka": { types: "./kafka.d.ts", default: "./kafka.js" },
};
writeFileSync(join(target, "package.json"), `${JSON.stringify({ ...published, exports }, null, 2)}\n`);
copyFileSync(join(folder, "README.md"), join(target, "README.md"));
