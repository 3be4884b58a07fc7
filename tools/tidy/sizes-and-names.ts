// Sizes and names.
//
// #1 A source file has at most 400 lines; generated code and tests may have more.
// #2 Files and folders are kebab-case.
// #3 Nothing is called utils, helpers, common or manager, because such a name does not describe the content.

import { isGenerated, isTestCode, type Rule } from "./file-tree.ts";

const linesMax = 400;
const sized = /\.(ts|java)$|^sluice$/;

export const fileSizes: Rule = (tree) =>
  [...tree].flatMap(([path, text]) => {
    if (!sized.test(path) || isGenerated(path) || isTestCode(path)) return [];
    const lines = text.split("\n").length - 1;
    return lines > linesMax ? [{ path, text: `${lines} lines, at most ${linesMax}` }] : [];
  });

const spokenAloud = new Set(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "Dockerfile", "Chart.yaml"]);
const saysNothing = /(^|[-.])(utils?|helpers?|common|managers?)([-.]|$)/;

export const namesOfFiles: Rule = (tree) =>
  [...tree.keys()].flatMap((path) =>
    path.split("/").flatMap((part) => {
      const isFree = spokenAloud.has(part) || part.startsWith(".") || part.endsWith(".java");
      if (!isFree && !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(part)) return [{ path, text: `${part} is not kebab-case` }];
      return saysNothing.test(part) ? [{ path, text: `${part} says nothing of what is in it` }] : [];
    }),
  );
