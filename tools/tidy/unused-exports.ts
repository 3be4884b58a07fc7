// #1 An exported value is used by another file. What only its own file uses is not exported, so that a reader knows
//    what a file offers. Types are left out: the type of a public signature is exported for its readers.

import { type FileTree, isGenerated, type Rule, stripComments, typeScriptFiles } from "./file-tree.ts";

export const unusedExports: Rule = (tree) => {
  const users = findUsersOfWords(tree);
  return typeScriptFiles(tree).flatMap(([path, text]) => {
    if (isGenerated(path) || path.endsWith(".test.ts")) return [];
    const names = [...stripComments(text).matchAll(/^export (?:async )?(?:abstract )?(?:function\*?|class|const|let) (\w+)/gm)];
    return names
      .map(([, name = ""]) => name)
      .filter((name) => (users.get(name) ?? 0) < 2)
      .map((name) => ({ path, text: `${name} is exported, and no other file uses it` }));
  });
};

/** In how many files each word of the code stands. */
function findUsersOfWords(tree: FileTree): ReadonlyMap<string, number> {
  const users = new Map<string, number>();
  for (const [, text] of typeScriptFiles(tree)) {
    for (const word of new Set(stripComments(text).match(/\w+/g))) users.set(word, (users.get(word) ?? 0) + 1);
  }
  return users;
}
