// Postponed work can be found, and nothing looks tested that is not.
//
// #1 No test is skipped, singled out or only planned.
// #2 A note of unfinished work names its issue.

import { matchingLines, type Rule, stripComments, typeScriptFiles } from "./file-tree.ts";

const notRun = /\b(test|it|describe)(\.\w+)*\.(only|skip|todo|skipIf|runIf|fails)\b|\b(xit|xtest|fit|xdescribe|fdescribe)\(/;

export const testsRun: Rule = (tree) =>
  typeScriptFiles(tree).flatMap(([path, text]) =>
    matchingLines(path, stripComments(text), notRun, (found) => `${found}: every test is run, always`),
  );

// Written with brackets, so that this line is no note itself.
const noted = /\b(TO[D]O|FIX[M]E|X[X]X)\b(?!\(#\d+\))/;
const written = /\.(ts|java|sh|yaml|yml|xml|json|avsc)$|^sluice$|^\.ci\//;

export const notesOfWork: Rule = (tree) =>
  [...tree].flatMap(([path, text]) =>
    !written.test(path) || path === "pnpm-lock.yaml"
      ? []
      : matchingLines(path, text, noted, (found) => `${found} without an issue, as in ${found}(#12)`),
  );
