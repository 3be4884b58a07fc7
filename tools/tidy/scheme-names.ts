// What differs between payment schemes is in the table of schemes. Code that compares a scheme's name treats every
// further scheme like one of the others, and the type checker does not name the place.
//
// #1 No code of the product has a text that is the name of a scheme and nothing else, but the table. Examples may, and
//    what banks install for their tests: it cannot ask the table.

import { isGenerated, isTestCode, matchingLines, type Rule, stripComments, typeScriptFiles } from "./file-tree.ts";

const table = "packages/domain/schemes.ts";

export const schemeNames: Rule = (tree) => {
  const names = [...(tree.get(table) ?? "").matchAll(/^ {2}([A-Z]{2}_[A-Z0-9_]+): \{$/gm)].map(([, name]) => name);
  if (names.length === 0) return [{ path: table, text: "no scheme found" }];
  // A document's example is either named so, or a JSON text in a text.
  const literal = new RegExp(`(?<!example: |')(["'\`])(${names.join("|")})\\1`);
  return typeScriptFiles(tree).flatMap(([path, text]) => {
    if (!/^(packages\/(?!testcontainers\/)|services\/)/.test(path) || path === table || isTestCode(path) || isGenerated(path)) return [];
    return matchingLines(path, stripComments(text), literal, (found) => `${found}: ask the scheme's row in ${table}`);
  });
};
