// Parses a file as YAML, with the lines of what is wrong with it.
//
// #1 yaml compares each name of a map with all before it: 15,000 names took two seconds of a processor. So names are
//    looked for in a set here, in one walk.

import { type Document, isScalar, LineCounter, parseDocument, visit } from "yaml";

export interface ParsedYaml {
  readonly document: Document.Parsed;
  readonly lineCounter: LineCounter;
  /** What is wrong, by code, and where it begins. */
  readonly errors: readonly { readonly code: string; readonly offset: number }[];
}

export function parseYaml(text: string): ParsedYaml {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter, uniqueKeys: false });
  const errors = document.errors.map(({ code, pos }) => ({ code, offset: pos[0] }));
  return { document, lineCounter, errors: errors.length > 0 ? errors : findSecondNames(document) };
}

/** #1 */
function findSecondNames(document: Document.Parsed): ParsedYaml["errors"] {
  const errors: { readonly code: string; readonly offset: number }[] = [];
  visit(document, {
    Map(_, { items }) {
      const names = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (names.has(key.value)) errors.push({ code: "DUPLICATE_KEY", offset: key.range?.[0] ?? 0 });
        names.add(key.value);
      }
    },
  });
  return errors;
}
