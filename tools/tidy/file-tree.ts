// The project as the rules see it: paths and texts of all files that are, or are about to be, in the repository.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Path from the project's root, with `/`, to text. */
export type FileTree = ReadonlyMap<string, string>;

export interface Finding {
  readonly path: string;
  readonly text: string;
}

export type Rule = (tree: FileTree) => readonly Finding[];

export function readTree(root: string): FileTree {
  const output = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], { cwd: root, encoding: "utf8" });
  const paths = output.split("\0").filter((path) => path !== "");
  return new Map(paths.toSorted().flatMap((path) => read(root, path)));
}

/** A file deleted but not yet committed is not there. */
function read(root: string, path: string): readonly (readonly [string, string])[] {
  try {
    return [[path, readFileSync(join(root, path), "utf8")]];
  } catch {
    return [];
  }
}

export function treeOf(files: Readonly<Record<string, string>>): FileTree {
  return new Map(Object.entries(files));
}

/** Code that is not part of what runs: tests, their givens, and what several tests share. */
export function isTestCode(path: string): boolean {
  return /(\.test|\.fixture)\.ts$|\/(given|conformance)[a-z-]*\.ts$/.test(path) || path.startsWith("test/");
}

export function isGenerated(path: string): boolean {
  return path.includes("/generated/");
}

export function typeScriptOf(tree: FileTree): readonly (readonly [string, string])[] {
  return [...tree].filter(([path]) => path.endsWith(".ts"));
}

/** Without comments, lines kept in their places. */
export function codeOf(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, " ")).replaceAll(/(^|\s)\/\/[^\n]*/g, "$1");
}

/** Findings for each line of code that matches. */
export function matchingLines(path: string, code: string, pattern: RegExp, say: (match: string) => string): readonly Finding[] {
  return code.split("\n").flatMap((line, index) => {
    const match = pattern.exec(line);
    return match === null ? [] : [{ path: `${path}:${index + 1}`, text: say(match[0]) }];
  });
}
