// #1 An exported name is defined in one file: a reader who searches for it finds one thing.
// #2 Names that have to be the same in several files are listed here, each with its reason.

import { type FileTree, type Rule, stripComments, isGenerated, isTestCode, typeScriptFiles } from "./file-tree.ts";

/** #2 */
const shared: ReadonlyMap<string, string> = new Map([["start", "the entry of every service"]]);

export const uniqueExports: Rule = (tree) =>
  [...definitions(tree)].flatMap(([name, paths]) =>
    paths.length > 1 && !shared.has(name) ? [{ path: paths[0] ?? "", text: `${name} is defined in ${paths.join(" and ")}` }] : [],
  );

function definitions(tree: FileTree): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [path, text] of typeScriptFiles(tree)) {
    if (isGenerated(path) || isTestCode(path)) continue;
    const names = stripComments(text).matchAll(/^export (?:async )?(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm);
    for (const name of new Set([...names].map(([, one = ""]) => one))) found.set(name, [...(found.get(name) ?? []), path]);
  }
  return found;
}
