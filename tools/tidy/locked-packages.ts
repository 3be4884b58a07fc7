// Every package that the lock file names comes from a registry with a hash of its bytes: none from a Git repository, an
// address or a folder, of which nothing says what it has tomorrow.

import type { Rule } from "./file-tree.ts";

const lockFile = "pnpm-lock.yaml";

export const lockedPackages: Rule = (tree) =>
  (tree.get(lockFile) ?? "").split("\n").flatMap((line, index) => {
    const [, resolution] = /^ {4}resolution: (.*)$/.exec(line) ?? [];
    if (resolution === undefined || /^\{integrity: sha512-[\w+/]+=*\}$/.test(resolution)) return [];
    return [{ path: `${lockFile}:${index + 1}`, text: `${resolution} is more or less than the hash of a package` }];
  });
