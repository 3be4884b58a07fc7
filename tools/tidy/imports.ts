// Reads the imports of a TypeScript file from its text, which is enough because the formatter writes them in one way.

import { type FileTree, stripComments } from "./file-tree.ts";

export interface Import {
  readonly specifier: string;
  /** Whether the import is erased at run time. */
  readonly isType: boolean;
  /** The names imported as values; empty for a whole module. */
  readonly names: readonly string[];
}

export function parseImports(text: string): readonly Import[] {
  const code = stripComments(text);
  const statements = code.matchAll(/^(?:import|export)\s+(?:(type)\s+)?(?:([^"';]*?)\s+from\s+)?"([^"]+)"/gm);
  const dynamic = code.matchAll(/\bimport\("([^"]+)"\)/g);
  return [
    ...[...statements].map(([, type, clause = "", specifier = ""]) => ({ specifier, isType: type === "type", names: valueNames(clause) })),
    ...[...dynamic].map(([, specifier = ""]) => ({ specifier, isType: false, names: [] })),
  ];
}

function valueNames(clause: string): readonly string[] {
  const names = /\{([^}]*)\}/.exec(clause)?.[1] ?? "";
  return names
    .split(",")
    .map((name) => name.trim().split(/\s+as\s+/)[0] ?? "")
    .filter((name) => name !== "" && !name.startsWith("type "));
}

/** Returns the path of a relative specifier, from the project's root. */
export function resolveRelative(from: string, specifier: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** Folders of test/ that are packages of their own; the others make up `test`. */
const testPackages = new Set(["benches", "checker", "demo", "environment", "sandbox", "teeth", "testkit", "trials"]);

/** Returns the unit that a file belongs to: `packages/x` or `services/x`. */
export function unitFor(path: string): string {
  const [first = "", second = ""] = path.split("/");
  if (first === "test" && testPackages.has(second)) return `test/${second}`;
  return ["packages", "services", "infra"].includes(first) ? `${first}/${second}` : first;
}

/** Returns the names of the workspace's packages, with their folders. */
export function workspacePackages(tree: FileTree): ReadonlyMap<string, string> {
  const packages = new Map<string, string>();
  for (const [path, text] of tree) {
    const name = path.endsWith("/package.json") ? /"name": "([^"]+)"/.exec(text)?.[1] : undefined;
    if (name !== undefined) packages.set(name, path.slice(0, -"/package.json".length));
  }
  return packages;
}
