// Removes from the installed packages what no process of the image reads, while the image is built:
// `node infra/image/prune.ts ROOT`.

import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findInstalledPackages } from "./installed-packages.ts";
import { isUnread } from "./unread-files.ts";

const bytesOfMB = 1_000_000;

if (import.meta.main) {
  const [, , root = "."] = process.argv;
  const removed = findInstalledPackages(root).reduce((sum, folder) => sum + prunePackage(folder), 0);
  console.log(`removed ${(removed / bytesOfMB).toFixed(1)} MB that no process reads`);
}

/** Returns the bytes that it removed. */
export function prunePackage(folder: string): number {
  return listFiles(folder, "")
    .filter((path) => isUnread(path))
    .reduce((sum, path) => {
      const file = join(folder, path);
      const { size } = lstatSync(file);
      rmSync(file);
      return sum + size;
    }, 0);
}

function listFiles(folder: string, prefix: string): readonly string[] {
  return readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) => {
    const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
    return entry.isDirectory() ? listFiles(folder, path) : [path];
  });
}
