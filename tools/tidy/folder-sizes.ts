// #1 A folder of services, packages, test or tools has at most 25 entries: a reader takes it in at one glance.
//    Golden files and generated code are read by programs, so their folders may have more.

import { type FileTree, type Rule } from "./file-tree.ts";

const entriesMax = 25;

export const folderSizes: Rule = (tree) =>
  [...entriesByFolder(tree)].flatMap(([path, entries]) =>
    entries.size > entriesMax ? [{ path, text: `${entries.size} entries, at most ${entriesMax}` }] : [],
  );

function entriesByFolder(tree: FileTree): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>();
  for (const path of tree.keys()) {
    if (!/^(services|packages|test|tools)\//.test(path) || /\/(golden|generated)\//.test(path)) continue;
    const parts = path.split("/");
    for (let depth = 2; depth < parts.length; depth += 1) {
      const folder = parts.slice(0, depth).join("/");
      const entries = folders.get(folder) ?? new Set();
      folders.set(folder, entries.add(parts[depth] ?? ""));
    }
  }
  return folders;
}
