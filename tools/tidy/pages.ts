// Every target that a page names exists: linked files and folders, files named with their path, verbs of the command
// line.

import { posix } from "node:path";
import type { FileTree, TidyFinding, Rule } from "./file-tree.ts";

/** The files in which verbs have their entries. */
const verbFile = /^packages\/cli\/verbs\/(?:[a-z-]+\/)*[a-z-]+\.ts$/;

export const pagesPointToThings: Rule = (tree) => {
  const folders = new Set([...tree.keys()].flatMap(parentFolders));
  const entries = [...tree].filter(([path]) => verbFile.test(path)).map(([, text]) => text);
  const verbs = new Set(
    [...entries.join("\n").matchAll(/\bVerb = \{ *(?:\n|\.\.\.\w+,) *name: "([a-z]+(?:-[a-z]+)*)/g)].map(([, verb]) => verb),
  );
  return [...tree].filter(([path]) => path.endsWith(".md")).flatMap(([path, text]) => checkPage(path, text, tree, folders, verbs));
};

function checkPage(
  path: string,
  text: string,
  tree: FileTree,
  folders: ReadonlySet<string>,
  verbs: ReadonlySet<string | undefined>,
): readonly TidyFinding[] {
  const here = posix.dirname(path);
  const isThere = (target: string): boolean => {
    const bare = target.replace(/\/$/, "");
    return [bare, posix.join(here, bare)].some((candidate) => tree.has(candidate) || folders.has(candidate));
  };
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map(([, target = ""]) => target);
  const named = [...text.matchAll(/`((?:packages|services|test|tools|infra|avro|docs|data)\/[\w./-]+\.\w+)`/g)].map(
    ([, target = ""]) => target,
  );
  const called = [...text.matchAll(/\.\/sluice ([a-z]+(?:-[a-z]+)*)/g)].map(([, verb = ""]) => verb);
  return [
    ...[...links, ...named].filter((target) => !isThere(target)).map((target) => ({ path, text: `${target} is not there` })),
    ...called.filter((verb) => !verbs.has(verb)).map((verb) => ({ path, text: `./sluice ${verb} is no verb` })),
  ];
}

function parentFolders(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
