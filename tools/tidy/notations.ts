// One notation for what every file has.
//
// #1 Invariants in a file's header are numbered `#1`, and cited so.
// #2 A file of test data or of a test environment is named `*.fixture.ts`.
// #3 A module is imported by one statement: `import { type X, y } from`, and `import type { X } from`
//    where it is types alone.
// #4 A line of a comment ends at 120 columns; a row of a table, an address and a note to a tool may be longer.

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

const columnsMax = 120;

export const commentWidth: Rule = (tree) =>
  typeScriptFiles(tree)
    .filter(([path]) => !isGenerated(path))
    .flatMap(([path, text]) =>
      text.split("\n").flatMap((line, index): readonly TidyFinding[] => {
        const isProse = /^\s*(\/\/|\/\*\*|\*) /.test(line) && !/https?:\/\/|oxlint-disable|\S {3,}\S/.test(line);
        return isProse && line.length > columnsMax
          ? [{ path: `${path}:${index + 1}`, text: `${line.length} columns, at most ${columnsMax}` }]
          : [];
      }),
    );
