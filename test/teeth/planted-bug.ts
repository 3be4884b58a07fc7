// A planted bug: a change to the product that breaks a promise. A check that stays green with it has no teeth.

import { seededRandom } from "@sluice/testkit";

/** Replaces a text that stands exactly once in a file. */
export interface Edit {
  /** From the project's root. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

export interface PlantedBug {
  /** Words joined by hyphens; unique. */
  readonly id: string;
  /** What goes wrong, in one sentence. */
  readonly breaks: string;
  readonly edits: readonly Edit[];
  /** Test files of the pure suite that are run first, from the project's root. */
  readonly nearest: readonly string[];
  /** Only model or simulation catch it, which takes minutes. */
  readonly isCaughtLate?: true;
  /** Why no check needs to catch it; absent for a bug that must be caught. */
  readonly harmlessBecause?: string;
}

/** Bugs that may be called harmless, over all. */
export const harmlessMax = 5;

/** Applies an edit; null if its text does not stand exactly once, or if it changes nothing. */
export function applyEdit(source: string, { find, put }: Edit): string | null {
  if (find === put || source.split(find).length !== 2) return null;
  // A function, because `$` has a meaning in a replacement text.
  return source.replace(find, () => put);
}

/** Applies the edits of a bug; `read` returns the text of a file. Returns null if one of them no longer applies. */
export function plant({ edits }: Pick<PlantedBug, "edits">, read: (file: string) => string): ReadonlyMap<string, string> | null {
  const changed = new Map<string, string>();
  for (const edit of edits) {
    const after = applyEdit(changed.get(edit.file) ?? read(edit.file), edit);
    if (after === null) return null;
    changed.set(edit.file, after);
  }
  return changed;
}

/** Draws `count` bugs, each at most once, in the order of the list. `random` returns a number from 0 up to 1. */
export function drawBugs(bugs: readonly PlantedBug[], count: number, random: () => number): readonly PlantedBug[] {
  const left = [...bugs.keys()];
  const drawn = new Set<number>();
  while (drawn.size < count && left.length > 0) {
    const [index] = left.splice(Math.floor(random() * left.length), 1);
    if (index !== undefined) drawn.add(index);
  }
  return bugs.filter((_, index) => drawn.has(index));
}

/** A generator of numbers from 0 up to 1 for `drawBugs`; the same seed gives the same numbers. */
export function drawFrom(seed: number): () => number {
  const random = seededRandom(seed);
  return () => random.fraction();
}
