// Compares the entries that lie in the topic with the leaves of a seal, and names each that is not as it was signed.

import type { AuditLeaf } from "./seal.ts";

/** An entry as it lies in the topic. */
export interface FoundEntry extends AuditLeaf {
  readonly previousSha256: string;
  readonly offset: bigint;
}

export interface AuditProblem {
  readonly kind: "changed" | "missing" | "inserted" | "reordered" | "cut-off";
  /** The chain of an entry; "seals" for a seal. */
  readonly chain: string;
  /** The entry's number in its chain, or the seal's. */
  readonly sequence: bigint;
  /** Where it lies; null for what is not there. */
  readonly offset: bigint | null;
  readonly text: string;
}

export interface JudgedLeaves {
  readonly problems: readonly AuditProblem[];
  /** How many of the entries belong to this seal; those behind them are of the next one. */
  readonly taken: number;
}

/**
 * `entries` are those that no earlier seal took, in the order of the topic. An entry is known by its place in its chain
 * and its hash: one that has the place alone was changed, one that is not among the leaves was inserted.
 */
export function judgeLeaves(leaves: readonly AuditLeaf[], entries: readonly FoundEntry[]): JudgedLeaves {
  const problems: AuditProblem[] = [];
  const aheadLeaves = countBy(leaves, identify);
  const aheadEntries = countBy(entries, identify);
  // Leaves whose entry lay before its turn.
  const early = new Map<string, number>();
  let taken = 0;
  let at = 0;
  while (at < leaves.length) {
    const leaf = leaves[at]!;
    const entry = entries[taken];
    if (takeOne(early, identify(leaf))) {
      at += 1;
    } else if (entry === undefined) {
      problems.push(missing(leaf));
      at += 1;
    } else if (identify(entry) === identify(leaf)) {
      takeOne(aheadLeaves, identify(leaf));
      takeOne(aheadEntries, identify(entry));
      [at, taken] = [at + 1, taken + 1];
    } else if (placeOf(entry) === placeOf(leaf)) {
      problems.push({ ...entry, kind: "changed", text: "is not as it was sealed" });
      takeOne(aheadLeaves, identify(leaf));
      takeOne(aheadEntries, identify(entry));
      [at, taken] = [at + 1, taken + 1];
    } else if (!isAhead(aheadEntries, leaf)) {
      problems.push(missing(leaf));
      takeOne(aheadLeaves, identify(leaf));
      at += 1;
    } else {
      const isMoved = isAhead(aheadLeaves, entry);
      const text = isMoved ? "lies at another place than it was sealed at" : "was not there when the others were sealed";
      problems.push({ ...entry, kind: isMoved ? "reordered" : "inserted", text });
      takeOne(aheadEntries, identify(entry));
      if (isMoved) {
        takeOne(aheadLeaves, identify(entry));
        early.set(identify(entry), (early.get(identify(entry)) ?? 0) + 1);
      }
      taken += 1;
    }
  }
  return { problems, taken };
}

function missing({ chain, sequence }: AuditLeaf): AuditProblem {
  return { kind: "missing", chain, sequence, offset: null, text: "was sealed and is not there" };
}

function placeOf({ chain, sequence }: AuditLeaf): string {
  return `${chain} ${sequence}`;
}

function identify(leaf: AuditLeaf): string {
  return `${placeOf(leaf)} ${leaf.sha256}`;
}

function countBy<T>(list: readonly T[], key: (one: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of list) counts.set(key(one), (counts.get(key(one)) ?? 0) + 1);
  return counts;
}

function isAhead(counts: ReadonlyMap<string, number>, leaf: AuditLeaf): boolean {
  return (counts.get(identify(leaf)) ?? 0) > 0;
}

/** Takes one of the count; false where there is none. */
function takeOne(counts: Map<string, number>, key: string): boolean {
  const count = counts.get(key) ?? 0;
  if (count === 0) return false;
  counts.set(key, count - 1);
  return true;
}
