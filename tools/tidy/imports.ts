// The imports of a TypeScript file, read from its text: enough for a code base whose formatter writes them one way.

import { codeOf } from "./file-tree.ts";
import type { FileTree } from "./file-tree.ts";

export interface Import {
  readonly specifier: string;
  /** Erased when it runs. */
  readonly isType: boolean;
  /** Imported by name, without types; empty for a whole module. */
  readonly names: readonly string[];
}

export function importsOf(text: string): readonly Import[] {
  const code = codeOf(text);
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

/** Path of a relative specifier, from the project's root. */
export function resolveRelative(from: string, specifier: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** `packages/x` or `services/x`: the unit that a file belongs to. */
export function unitOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return ["packages", "services", "infra"].includes(first) ? `${first}/${second}` : first;
}

/** Names of the workspace's packages, with their folders. */
export function workspacePackages(tree: FileTree): ReadonlyMap<string, string> {
  const packages = new Map<string, string>();
  for (const [path, text] of tree) {
    const name = path.endsWith("/package.json") ? /"name": "([^"]+)"/.exec(text)?.[1] : undefined;
    if (name !== undefined) packages.set(name, path.slice(0, -"/package.json".length));
  }
  return packages;
}
