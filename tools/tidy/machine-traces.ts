// Nothing in the repository names the machine that it was written on: no absolute path, no host of a package registry,
// and no path that breaks where a folder's name has a space.

import { matchingLines, type Rule } from "./file-tree.ts";

const absolutePath = /(?<![\w.}$-])\/(?:home|root|work|Users)\/[\w.-]+/;
const registryHost =
  /\b(?:registry\.npmjs\.(?:org|com)|registry\.yarnpkg\.com|repo1?\.maven\.(?:apache\.)?org|deb\.debian\.org|\w+\.jfrog\.io|npm\.pkg\.github\.com)\b|\btarball[:] http/;
const brokenBySpaces = /import\.meta\.url\)\.pathname/;

export const machineTraces: Rule = (tree) =>
  [...tree].flatMap(([path, text]) => [
    ...matchingLines(path, text, absolutePath, (found) => `${found} is a path of one machine`),
    ...matchingLines(path, text, registryHost, (found) => `${found} is a registry's host`),
    ...matchingLines(path, text, brokenBySpaces, (found) => `${found}: fileURLToPath, for a path may hold spaces`),
  ]);
