// The promises that are kept today are cited by a test's title: `I8: a debit is not released before …`. The list grows with what is
// built; it never shrinks.

import type { FileTree, Finding } from "./file-tree.ts";

export const promisesKept = ["I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8", "I9", "I10", "I12", "I14", "I15", "I16"] as const;

export function promisesCited(tree: FileTree, promises: readonly string[] = promisesKept): readonly Finding[] {
  const cited = new Set<string>();
  for (const [path, text] of tree) {
    if (!path.endsWith(".test.ts") || path.startsWith("tools/")) continue;
    for (const [, title = ""] of text.matchAll(/["'`]((?:I\d+)(?:(?:,| and) I\d+)*): /g)) {
      for (const promise of title.match(/I\d+/g) ?? []) cited.add(promise);
    }
  }
  return promises.filter((promise) => !cited.has(promise)).map((promise) => ({ path: "tests", text: `no test's title cites ${promise}` }));
}
