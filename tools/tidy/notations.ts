// One notation for what every file has.
//
// #1 Invariants in a file's header are numbered `#1`, and cited so.
// #2 A file of test data or of a test environment is named `*.fixture.ts`.
// #3 A module is imported by one statement: `import { type X, y } from`, and `import type { X } from`
//    where it is types alone.
// #4 A line of a comment ends at 120 columns; a row of a table, an address and a note to a tool may be longer.
// #5 A log line that says why something failed names the causes too: `reason: formatReason(error)`, or under `error`.
// #6 A line of a page ends at 120 columns too. A row of a table, a block of code and an address may be longer.
// #7 A decision in docs/adr is cited by its number: each has one of its own, and its heading has the same.

import { type TidyFinding, type Rule, isGenerated, matchingLines, typeScriptFiles } from "./file-tree.ts";

export const numberedInvariants: Rule = (tree) =>
  typeScriptFiles(tree).flatMap(([path, text]) => matchingLines(path, text, /^\/\/ \d+\. /, () => "invariants are numbered #1, #2, …"));

export const fixtureNames: Rule = (tree) =>
  typeScriptFiles(tree)
    .filter(([path]) => /\/given(-(?!up)[a-z0-9-]+)?\.ts$/.test(path))
    .map(([path]) => ({ path, text: "test data and environments are named *.fixture.ts" }));

export const oneImportAModule: Rule = (tree) =>
  typeScriptFiles(tree).flatMap(([path, text]): readonly TidyFinding[] => {
    if (isGenerated(path)) return [];
    const modules = [...text.matchAll(/^import (?!(?:type )?\* as)(?:type )?[^"';]+ from "([^"]+)";$/gm)].map(([, module = ""]) => module);
    const twice = new Set(modules.filter((module, index) => modules.indexOf(module) !== index));
    return [...twice].map((module) => ({ path, text: `${module} is imported by two statements` }));
  });

export const reasonsWithCauses: Rule = (tree) =>
  typeScriptFiles(tree)
    .filter(([path]) => /^(packages|services)\//.test(path) && !/\.(test|fixture)\.ts$/.test(path))
    .flatMap(([path, text]) => matchingLines(path, text, withoutCauses, () => "a log line names the causes: formatReason"));

const withoutCauses = /\breason: String\(|\b(?:debug|info|warn|error)\(.*\breason: \w+\.message\b/;

const columnsMax = 120;

export const commentWidth: Rule = (tree) =>
  typeScriptFiles(tree)
    .filter(([path]) => !isGenerated(path))
    .flatMap(([path, text]) =>
      text.split("\n").flatMap((line, index): readonly TidyFinding[] => {
        const isProse = /^\s*(\/\/|\/\*\*|\*) /.test(line) && !/https?:\/\/|oxlint-disable|[^\s/*] {3,}\S/.test(line);
        return isProse && line.length > columnsMax
          ? [{ path: `${path}:${index + 1}`, text: `${line.length} columns, at most ${columnsMax}` }]
          : [];
      }),
    );

/** One line for each operation, parameter and member: a line there is an entry and no prose. */
const listOfEntries = "docs/api/surface.md";

const isShellComment = /^\s*# /;

/** Scripts, images and hand-written YAML; golden files and what is rendered repeat the comments of their sources. */
function hasShellComments(path: string): boolean {
  const isWritten = path.startsWith(".ci/") || /^infra\/(?!chart\/(golden|files)\/)/.test(path);
  return isWritten && !/\.(ts|json|java|go|mod|sum|xml|tpl|md)$/.test(path);
}

export const pageWidth: Rule = (tree) =>
  [...tree].flatMap(([path, text]) => {
    if (path === listOfEntries) return [];
    if (path.endsWith(".md")) return findWideLines(path, proseLines(text));
    if (hasShellComments(path))
      return findWideLines(
        path,
        numberLines(text).filter(([, line]) => isShellComment.test(line)),
      );
    return [];
  });

type NumberedLine = readonly [number, string];

function numberLines(text: string): readonly NumberedLine[] {
  return text.split("\n").map((line, index) => [index + 1, line]);
}

/** Returns the lines of a page that are neither code nor a row of a table. */
function proseLines(text: string): readonly NumberedLine[] {
  let isCode = false;
  return numberLines(text).filter(([, line]) => {
    const isFence = /^\s*```/.test(line);
    if (isFence) isCode = !isCode;
    return !isFence && !isCode && !/^\s*\|/.test(line);
  });
}

function findWideLines(path: string, lines: readonly NumberedLine[]): readonly TidyFinding[] {
  return lines
    .filter(([, line]) => line.replaceAll(/https?:\/\/[^\s)]+/g, "").length > columnsMax)
    .map(([number, line]) => ({ path: `${path}:${number}`, text: `${line.length} columns, at most ${columnsMax}` }));
}

/** #7 */
export const decisionNumbers: Rule = (tree) => {
  const first = new Map<string, string>();
  return [...tree].flatMap(([path, text]) => {
    const [, number] = /^docs\/adr\/(\d{4})-/.exec(path) ?? [];
    if (number === undefined) return [];
    const other = first.get(number);
    first.set(number, other ?? path);
    if (other !== undefined) return [{ path, text: `${other} has this number` }];
    return text.startsWith(`# ${Number(number)}. `) ? [] : [{ path, text: `its heading does not begin with ${Number(number)}.` }];
  });
};
