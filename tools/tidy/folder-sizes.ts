// #1 A folder has at most 25 entries, the project's root too: a reader takes it in at one glance.
// #2 Programs read golden files, generated code and schemas, and readers look pages up by a number or a name. Their
//    folders may have more.

import { type FileTree, type Rule } from "./file-tree.ts";

const entriesMax = 25;
/** #2 */
const lookedUpByName = /(^|\/)(golden|generated)(\/|$)|^(avro|docs\/adr|docs\/runbooks)(\/|$)/;

export const folderSizes: Rule = (tree) =>
  [...entriesByFolder(tree)].flatMap(([folder, entries]) =>
    entries.size > entriesMax && !lookedUpByName.test(folder)
      ? [{ path: folder === "" ? "." : folder, text: `${entries.size} entries, at most ${entriesMax}` }]
      : [],
  );

function entriesByFolder(tree: FileTree): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>();
  for (const path of tree.keys()) {
    const parts = path.split("/");
    for (const [depth, entry] of parts.entries()) {
      const folder = parts.slice(0, depth).join("/");
      const entries = folders.get(folder) ?? new Set();
      folders.set(folder, entries.add(entry));
    }
  }
  return folders;
}
