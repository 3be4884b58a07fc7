// #1 Code, comments and pages use the words of docs/glossary.md. A word of this table has no place in them; the
//    glossary names each with the word to use instead.
// #2 A file that quotes an old word on purpose is named here, with its reason.

import { type FileTree, type TidyFinding, type Rule } from "./file-tree.ts";

/** Pattern to the word that replaces it. Identifiers are split into words before they are compared. */
const banned: readonly (readonly [RegExp, string])[] = [
  [/\blanes?\b/i, "partition"],
  [/\bstandings?\b/i, "state, health or status"],
  [/\b(un)?told\b/i, "notices or reported"],
  [/\b(put|puts|putting) asides?\b|\basides?\b/i, "dead-lettered, or skipped by an operator"],
  [/\bput back\b/i, "extend"],
  [/\btenures?\b/i, "lease"],
  [/\bagreed time\b/i, "broker clock"],
  [/\bremark(s|ed)?\b/i, "observation"],
  [/\btempers?\b/i, "profile"],
  [/\b(max )?rolls?\b|\broll(ed|ing)\b/i, "carry over"],
  [/\bworlds?\b/i, "environment"],
  [/\brooms\b|\bthe one room\b|\ba room of\b/i, "folder or package"],
  [/\bof late\b|\banew\b|\bwhoever\b/i, "a plain sentence"],
];

/** #2 */
const exempt: ReadonlyMap<string, string> = new Map([
  ["docs/glossary.md", "lists the words that are not used"],
  ["infra/chart/templates/deployments.yaml", "an upgrade's strategy has its name from Kubernetes"],
  ["tools/tidy/vocabulary.ts", "this table"],
  ["tools/tidy/tidy.test.ts", "breaks the rule on purpose"],
]);

export const vocabulary: Rule = (tree) => [...tree].flatMap(([path, text]) => findingsOf(path, text)).concat(unlistedWords(tree));

function findingsOf(path: string, text: string): readonly TidyFinding[] {
  if (!/\.(ts|md|yaml|avsc)$|^docs\/.*\.json$/.test(path) || /\/(golden|versions)\//.test(path) || exempt.has(path)) return [];
  return text.split("\n").flatMap((line, index) => {
    const words = wordsOf(line);
    const found = banned.find(([pattern]) => pattern.test(words));
    return found === undefined
      ? []
      : [{ path: `${path}:${index + 1}`, text: `"${found[0].exec(words)?.[0]}" is not a word of the glossary: use ${found[1]}` }];
  });
}

/** `partitionCount` → `partition count`, `bank-state` → `bank state`. */
function wordsOf(line: string): string {
  return line
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[-_.]/g, " ")
    .replaceAll(/ +/g, " ");
}

/** Every banned word stands in the glossary, so that a reader of the finding can look it up. */
function unlistedWords(tree: FileTree): readonly TidyFinding[] {
  const glossary = tree.get("docs/glossary.md");
  if (glossary === undefined) return [];
  const [, notUsed = ""] = glossary.split("## Words that are not used");
  return banned
    .filter(([pattern]) => !pattern.test(notUsed))
    .map(([pattern]) => ({ path: "docs/glossary.md", text: `does not name ${pattern}` }));
}
