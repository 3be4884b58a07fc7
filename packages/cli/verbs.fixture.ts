// All verbs, loaded, and an index over some of them, for tests.

import type { Verb } from "./terminal/verb.ts";
import { loadVerbs, type VerbIndex } from "./terminal/verb-index.ts";
import { verbIndex } from "./verbs.ts";

export const verbs = await loadVerbs(verbIndex);

export function createIndex(table: readonly Verb[]): VerbIndex {
  return [{ title: "All", rows: table.map((verb) => ({ name: verb.name, line: verb.summary, load: () => Promise.resolve(verb) })) }];
}
