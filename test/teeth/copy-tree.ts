// Copies the project's tree to a folder in which a bug can be planted.
//
// #1 Third-party packages are shared by links. What tools leave behind is not copied: two copies run at the same time.

import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const leftOut: ReadonlySet<string> = new Set([".git", ".sluice", ".turbo", "node_modules"]);

/** Replaces the folder `to` by a copy of the tree at `root`. */
export function copyTree(root: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  const manifests: string[] = [];
  for (const name of readdirSync(root)) {
    if (leftOut.has(name)) continue;
    cpSync(join(root, name), join(to, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter(source) {
        if (basename(source) === "package.json") manifests.push(source);
        return !leftOut.has(basename(source));
      },
    });
  }
  for (const manifest of manifests) linkPackages(dirname(manifest), join(to, dirname(manifest).slice(root.length)));
}

/** #1 */
function linkPackages(from: string, to: string): void {
  const packages = join(from, "node_modules");
  if (!existsSync(packages)) return;
  mkdirSync(join(to, "node_modules"), { recursive: true });
  for (const name of readdirSync(packages)) {
    const [source, target] = [join(packages, name), join(to, "node_modules", name)];
    // Links and scopes of links are relative: copied, they lead to the packages of the copy.
    if (lstatSync(source).isSymbolicLink() || name.startsWith("@")) cpSync(source, target, { recursive: true, verbatimSymlinks: true });
    else if (name === ".pnpm" || name === ".bin") symlinkSync(source, target);
  }
}
