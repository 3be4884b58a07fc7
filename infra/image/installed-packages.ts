// The packages from registries that are installed in the workspace, each with its folder.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** `root` is the workspace's root. A package that is a link belongs to another folder, and is not returned. */
export function findInstalledPackages(root: string): readonly string[] {
  const store = join(root, "node_modules", ".pnpm");
  return readdirSync(store)
    .toSorted()
    .flatMap((entry) => {
      const modules = join(store, entry, "node_modules");
      return existsSync(modules) ? packagesIn(modules) : [];
    });
}

function packagesIn(modules: string): readonly string[] {
  return readdirSync(modules, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .flatMap(({ name }) => (name.startsWith("@") ? packagesIn(join(modules, name)) : [join(modules, name)]));
}
