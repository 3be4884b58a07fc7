// Every reader of a range of a topic makes sure that all of it was read. A broker may end a reading early, and a fold,
// a count or a search must not take that for the end.

import { type Rule, stripComments, typeScriptFiles } from "./file-tree.ts";

/** Files whose own functions hold a reading against its end, or read through such a function. */
const coveringFiles: ReadonlySet<string> = new Set([
  "packages/messaging/require-covered.ts",
  "packages/messaging/dead-letters/operator-skips.ts",
  "packages/timeline/read-around.ts",
  "services/scheduler/rebuild/rebuild-partition.ts",
]);
/** Tests, the suite of the port itself, and a reading of one record. */
const otherFiles = [/\.(test|fixture)\.ts$/, /^packages\/messaging\/conformance\//, /^test\/analytics\/newer-schema\.ts$/];
const reading = /\bmessaging\.read\(/g;
const covered = /\brequireCovered\(\s*$/;

export const coveredReads: Rule = (tree) =>
  typeScriptFiles(tree).flatMap(([path, text]) => {
    if (coveringFiles.has(path) || otherFiles.some((place) => place.test(path))) return [];
    const code = stripComments(text);
    const bare = [...code.matchAll(reading)].filter(({ index }) => !covered.test(readBefore(code, index)));
    return bare.map(({ index }) => ({
      path: `${path}:${code.slice(0, index).split("\n").length}`,
      text: "a range is read through requireCovered or readCompacted",
    }));
  });

/** The text before the object whose member is read. */
function readBefore(code: string, index: number): string {
  return code.slice(0, index).replace(/(?:this\.#?|ports\.|#ports\.)+$/, "");
}
