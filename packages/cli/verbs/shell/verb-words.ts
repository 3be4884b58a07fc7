// The words of verbs, for completions: what may be first, and what may follow.

import type { Verb } from "../../terminal/verb.ts";

/** The first words of all verbs, each once. */
export function firstWords(table: readonly Verb[]): readonly string[] {
  return [...new Set(table.map(({ name }) => name.split(" ")[0] ?? name))];
}

/** The verbs of two words, by their first word. */
export function verbGroups(table: readonly Verb[]): ReadonlyMap<string, readonly Verb[]> {
  return Map.groupBy(
    table.filter(({ name }) => name.includes(" ")),
    ({ name }) => name.split(" ")[0] ?? name,
  );
}

export function secondWord({ name }: Verb): string {
  return name.split(" ")[1] ?? "";
}

/** Says what a first word is: the verb's summary, or the words that may follow. */
export function describeFirstWord(word: string, table: readonly Verb[]): string {
  const verb = table.find(({ name }) => name === word);
  return verb?.summary ?? (verbGroups(table).get(word) ?? []).map(secondWord).join(", ");
}
