// The project as the rules see it: paths and texts of all files that are, or are about to be, in the repository.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Maps a path from the project's root, with `/`, to the file's text. */
export type FileTree = ReadonlyMap<string, string>;

export interface TidyFinding {
  readonly path: string;
  readonly text: string;
}

export type Rule = (tree: FileTree) => readonly TidyFinding[];

export function readTree(root: string): FileTree {
  const output = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], { cwd: root, encoding: "utf8" });
  const paths = output.split("\0").filter((path) => path !== "");
  return new Map(paths.toSorted().flatMap((path) => read(root, path)));
}

/** A file that was deleted but not yet committed is left out. */
function read(root: string, path: string): readonly (readonly [string, string])[] {
  try {
    return [[path, readFileSync(join(root, path), "utf8")]];
  } catch {
    return [];
  }
}

export function toTree(files: Readonly<Record<string, string>>): FileTree {
  return new Map(Object.entries(files));
}

/** Tells whether the code is no part of the product: tests, their fixtures, and what several tests share. */
export function isTestCode(path: string): boolean {
  return /(\.test|\.fixture)\.ts$|\/conformance\//.test(path) || path.startsWith("test/");
}

export function isGenerated(path: string): boolean {
  return path.includes("/generated/");
}

export function typeScriptFiles(tree: FileTree): readonly (readonly [string, string])[] {
  return [...tree].filter(([path]) => path.endsWith(".ts"));
}

/** Blanks out comments and keeps every line in its place. */
export function stripComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, " ")).replaceAll(/(^|\s)\/\/[^\n]*/g, "$1");
}

/** Returns a finding for each line of code that matches. */
export function matchingLines(path: string, code: string, pattern: RegExp, say: (match: string) => string): readonly TidyFinding[] {
  return code.split("\n").flatMap((line, index) => {
    const match = pattern.exec(line);
    return match === null ? [] : [{ path: `${path}:${index + 1}`, text: say(match[0]) }];
  });
}
