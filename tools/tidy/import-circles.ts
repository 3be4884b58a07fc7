// #1 No file reaches itself through static imports, within a package or across packages. Types count: two files whose
//    types need each other cannot be read one after the other. An `import()` at run time does not count.

import { type FileTree, type TidyFinding, type Rule, stripComments, isGenerated, typeScriptFiles } from "./file-tree.ts";
import { resolveRelative } from "./imports.ts";

export const importCircles: Rule = (tree) => {
  const graph = relativeImports(tree);
  return circlesIn(graph).map((circle): TidyFinding => ({ path: circle[0] ?? "", text: `imports itself: ${circle.join(" → ")}` }));
};

function relativeImports(tree: FileTree): ReadonlyMap<string, readonly string[]> {
  const graph = new Map<string, readonly string[]>();
  for (const [path, text] of typeScriptFiles(tree)) {
    if (isGenerated(path)) continue;
    const statements = stripComments(text).matchAll(/^(?:import|export)\s+(?:[^"';]*?\s+from\s+)?"(\.[^"]+)"/gm);
    graph.set(
      path,
      [...statements].map(([, specifier = ""]) => resolveRelative(path, specifier)),
    );
  }
  return graph;
}

/** The strongly connected components with more than one file, by Tarjan's algorithm; each sorted by path. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const circles: string[][] = [];
  const visit = (path: string): void => {
    index.set(path, index.size);
    low.set(path, index.get(path) ?? 0);
    stack.push(path);
    onStack.add(path);
    for (const next of graph.get(path) ?? []) {
      if (!graph.has(next)) continue;
      if (!index.has(next)) visit(next);
      if (onStack.has(next)) low.set(path, Math.min(low.get(path) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(path) !== index.get(path)) return;
    const circle: string[] = [];
    let popped: string | undefined;
    do {
      popped = stack.pop();
      if (popped === undefined) break;
      onStack.delete(popped);
      circle.push(popped);
    } while (popped !== path);
    if (circle.length > 1 || (graph.get(path) ?? []).includes(path)) circles.push(circle.toSorted());
  };
  for (const path of graph.keys()) if (!index.has(path)) visit(path);
  return circles;
}
