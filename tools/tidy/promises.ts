// A test's title cites each promise that is kept today: `I8: a debit is not released before …`. The list grows with
// what is built and never shrinks.

import type { FileTree, TidyFinding } from "./file-tree.ts";

const promisesKept = ["I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8", "I9", "I10", "I12", "I14", "I15", "I16"] as const;

export function citePromises(tree: FileTree, promises: readonly string[] = promisesKept): readonly TidyFinding[] {
  const cited = new Set<string>();
  for (const [path, text] of tree) {
    if (!path.endsWith(".test.ts") || path.startsWith("tools/")) continue;
    for (const [, title = ""] of text.matchAll(/["'`]((?:I\d+)(?:(?:,| and) I\d+)*): /g)) {
      for (const promise of title.match(/I\d+/g) ?? []) cited.add(promise);
    }
  }
  return promises.filter((promise) => !cited.has(promise)).map((promise) => ({ path: "tests", text: `no test's title cites ${promise}` }));
}
