// The verbs by name, without their code: what the overview needs, and how a verb is loaded when it is called.
//
// #1 A verb's file is imported only when that verb is called, or when all are described (completions, manual page).

import type { Verb } from "./verb.ts";

export interface VerbRow {
  readonly name: string;
  /** What it does, for the overview: at most 54 columns. */
  readonly line: string;
  load(): Promise<Verb>;
}

interface VerbGroup {
  readonly title: string;
  readonly rows: readonly VerbRow[];
}

export type VerbIndex = readonly VerbGroup[];

export function listRows(index: VerbIndex): readonly VerbRow[] {
  return index.flatMap(({ rows }) => rows);
}

/** #1 */
export async function loadVerbs(index: VerbIndex): Promise<readonly Verb[]> {
  return await Promise.all(listRows(index).map((row) => row.load()));
}

/** The verb whose name is the first word, or the first two. */
export function findRow(index: VerbIndex, words: readonly string[]): VerbRow | null {
  const names = [words.slice(0, 2).join(" "), words[0] ?? ""];
  return names.map((name) => listRows(index).find((row) => row.name === name)).find((row) => row !== undefined) ?? null;
}

/** The words with `all` as the second, where the first is that of a verb for all below it, and only options follow. */
export function addAll(index: VerbIndex, [first = "", ...options]: readonly string[]): readonly string[] {
  const isForAll = findRow(index, [first]) === null && findRow(index, [first, "all"]) !== null;
  return isForAll && options.every((word) => word.startsWith("--")) ? [first, "all", ...options] : [first, ...options];
}

/** The verbs of two words that begin with this one. */
export function rowsBelow(index: VerbIndex, first: string): readonly VerbRow[] {
  return listRows(index).filter(({ name }) => name.startsWith(`${first} `));
}

/** Letters that may differ in a word that was probably meant. */
const distanceMax = 2;

/** The known words that were probably meant, the nearest first; at most three. */
export function findSimilar(given: string, known: readonly string[]): readonly string[] {
  const near = known
    .map((word) => ({ word, distance: word.startsWith(given) && given.length > 2 ? 1 : editDistance(given, word) }))
    .filter(({ word, distance }) => distance <= distanceMax && distance < word.length);
  return near.toSorted((a, b) => a.distance - b.distance).flatMap(({ word }, index) => (index < 3 ? [word] : []));
}

/** How many letters have to be added, removed, changed or swapped with the next one. */
function editDistance(from: string, to: string): number {
  let [beforeLast, last] = [[] as readonly number[], Array.from({ length: to.length + 1 }, (_, column) => column) as readonly number[]];
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const ways = [(last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + (isSame ? 0 : 1)];
      next.push(Math.min(...ways, ...(isSwapped ? [(beforeLast[column - 2] ?? 0) + 1] : [])));
    }
    [beforeLast, last] = [last, next];
  }
  return last.at(-1) ?? 0;
}
