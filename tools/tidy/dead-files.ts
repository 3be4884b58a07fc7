// Every source file is reached from a process's entry, a test, or a script that a document names. Every data file is
// named by another file.

import { type FileTree, isGenerated, type Rule, typeScriptFiles } from "./file-tree.ts";
import { parseImports, resolveRelative, unitFor, workspacePackages } from "./imports.ts";

export const deadFiles: Rule = (tree) => {
  const reached = new Set<string>();
  const open = roots(tree);
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path) || !tree.has(path)) continue;
    reached.add(path);
    open.push(...findReferences(path, tree));
  }
  const dead = typeScriptFiles(tree).filter(([path]) => !reached.has(path) && !isGenerated(path) && !path.endsWith(".d.ts"));
  return [
    ...dead.map(([path]) => ({ path, text: "nothing that runs imports it" })),
    ...unnamedData(tree).map((path) => ({ path, text: "nothing names it" })),
  ];
};

function roots(tree: FileTree): string[] {
  const mentioned = [...tree]
    .filter(([path]) => path.endsWith(".md") || path === "package.json")
    .map(([, text]) => text)
    .join("\n");
  return typeScriptFiles(tree)
    .map(([path]) => path)
    .filter(
      (path) =>
        path.endsWith(".test.ts") ||
        path === "vitest.config.ts" ||
        path === "packages/cli/main.ts" ||
        /^services\/[^/]+\/main\.ts$/.test(path) ||
        mentioned.includes(`node ${path}`),
    );
}

function findReferences(path: string, tree: FileTree): readonly string[] {
  const text = tree.get(path) ?? "";
  const packages = workspacePackages(tree);
  const imported = parseImports(text).flatMap(({ specifier }) => {
    if (specifier.startsWith(".")) return [resolveRelative(path, specifier)];
    const [scope = "", name = "", ...part] = specifier.split("/");
    const folder = packages.get(`${scope}/${name}`);
    return folder === undefined ? [] : exported(tree, folder, part.join("/"));
  });
  // Files that are run as a process or set up by name.
  const located = [...text.matchAll(/new URL\("([^"]+\.ts)", import\.meta\.url\)/g)].map(([, file = ""]) => resolveRelative(path, file));
  const named = [...text.matchAll(/"([a-z]+\/[a-z0-9/.-]+\.ts)"/g)].map(([, file = ""]) => file);
  return [...imported, ...located, ...named];
}

function exported(tree: FileTree, folder: string, part: string): readonly string[] {
  const manifest: { readonly exports?: Readonly<Record<string, string>> } = JSON.parse(tree.get(`${folder}/package.json`) ?? "{}");
  const file = manifest.exports?.[part === "" ? "." : `./${part}`];
  return file === undefined ? [] : [`${folder}/${file.replace(/^\.\//, "")}`];
}

const dataFile = /^(data|infra)\/.*\.(json|yaml|xml|java)$/;

function unnamedData(tree: FileTree): readonly string[] {
  const names = [...tree.keys()].filter((path) => dataFile.test(path) && !path.endsWith("/package.json"));
  const texts = [...tree].filter(([path]) => /\.(ts|md|xml|json|avsc)$/.test(path));
  return names.filter((path) => {
    const name = path.split("/").at(-1) ?? path;
    const stem = name.replace(/\.[a-z]+$/, "");
    return !texts.some(
      ([other, text]) => other !== path && (text.includes(name) || (unitFor(other) !== "docs" && text.includes(`"${stem}"`))),
    );
  });
}
