// Builds a package as others install it, in its folder `dist`: JavaScript, types, and a manifest without what only this
// project needs. `node tools/build/package.ts packages/receiver`, then `npm pack ./packages/receiver/dist`.
//
// #1 What is built is what the package's `tsconfig.build.json` includes. Other exports are for this project alone.

import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

interface Manifest extends Record<string, unknown> {
  readonly exports: Readonly<Record<string, string>>;
}

const project = fileURLToPath(new URL("../..", import.meta.url));

function build(folder: string): void {
  const target = join(folder, "dist");
  rmSync(target, { recursive: true, force: true });
  const settings = join(folder, "tsconfig.build.json");
  const compiler = join(project, "node_modules", "typescript", "bin", "tsc");
  const { status } = spawnSync(process.execPath, [compiler, "-p", settings], { stdio: "inherit" });
  if (status !== 0) throw new Error(`the compiler ended with ${status}`);
  const { include }: { readonly include: readonly string[] } = JSON.parse(readFileSync(settings, "utf8"));
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { private: _private, devDependencies: _tests, exports, ...published } = manifest;
  const built = Object.entries(exports).filter(([, file]) => include.includes(file.slice(2)));
  const places = Object.fromEntries(built.map(([name, file]) => [name, placesOf(file.replace(/\.ts$/, ""))]));
  writeFileSync(join(target, "package.json"), `${JSON.stringify({ ...published, exports: places }, null, 2)}\n`);
  copyFileSync(join(folder, "README.md"), join(target, "README.md"));
}

function placesOf(stem: string) {
  return { types: `${stem}.d.ts`, default: `${stem}.js` };
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: node tools/build/package.ts FOLDER");
build(folder);
