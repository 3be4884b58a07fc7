// Follows the chains of all processes through the topic, and names the entries at which one breaks.
//
// #1 An entry that lies there twice with the same bytes is a repeat of a request, and no problem.
// #2 What a chain remembers is bounded: the hashes of its last `repeatsKnown` entries.

import type { AuditProblem, FoundEntry } from "./judge-leaves.ts";

interface Chain {
  sequence: bigint;
  sha256: string;
  /** Hashes of the last entries by their numbers. */
  readonly recent: Map<bigint, string>;
  /** Numbers that were passed over. */
  readonly gaps: Map<bigint, AuditProblem>;
}

const repeatsKnown = 64;
/** Missing entries of one gap that are named one by one. */
const gapMax = 100n;

export class ChainJudge {
  readonly #chains = new Map<string, Chain>();
  repeats = 0;

  get count(): number {
    return this.#chains.size;
  }

  /** The problems that these entries show, in the order of the topic. */
  judge(entries: readonly FoundEntry[]): readonly AuditProblem[] {
    const problems = new Set<AuditProblem>();
    for (const entry of entries) this.#follow(entry, problems);
    return [...problems];
  }

  #follow(entry: FoundEntry, problems: Set<AuditProblem>): void {
    const chain = this.#chains.get(entry.chain) ?? { sequence: 0n, sha256: "", recent: new Map(), gaps: new Map() };
    this.#chains.set(entry.chain, chain);
    if (entry.sequence <= chain.sequence) {
      this.#judgeOlder(entry, chain, problems);
      return;
    }
    if (entry.sequence === chain.sequence + 1n) {
      if (entry.previousSha256 !== chain.sha256) problems.add(brokenBefore(entry));
    } else {
      for (const gap of listGap(chain.sequence + 1n, entry)) {
        chain.gaps.set(gap.sequence, gap);
        problems.add(gap);
      }
    }
    [chain.sequence, chain.sha256] = [entry.sequence, entry.sha256];
    chain.recent.set(entry.sequence, entry.sha256);
    chain.recent.delete(entry.sequence - BigInt(repeatsKnown));
  }

  #judgeOlder(entry: FoundEntry, chain: Chain, problems: Set<AuditProblem>): void {
    // #1
    if (chain.recent.get(entry.sequence) === entry.sha256) {
      this.repeats += 1;
      return;
    }
    const gap = chain.gaps.get(entry.sequence);
    if (gap === undefined) {
      problems.add({ ...entry, kind: "inserted", text: "has the number of another entry of its chain" });
      return;
    }
    chain.gaps.delete(entry.sequence);
    problems.delete(gap);
    problems.add({ ...entry, kind: "reordered", text: "lies behind entries that follow it in its chain" });
  }
}

/** The entry names another hash for the one before it: that one is not as it was, or there was another one. */
function brokenBefore({ chain, sequence, offset }: FoundEntry): AuditProblem {
  if (sequence === 1n) return { kind: "inserted", chain, sequence, offset, text: "begins its chain, but names an entry before it" };
  return { kind: "changed", chain, sequence: sequence - 1n, offset: null, text: "has another hash than the entry behind it names" };
}

function listGap(from: bigint, { chain, sequence }: FoundEntry): readonly AuditProblem[] {
  const gaps: AuditProblem[] = [];
  for (let missing = from; missing < sequence && missing < from + gapMax; missing += 1n) {
    gaps.push({ kind: "missing", chain, sequence: missing, offset: null, text: "is not there, but a later entry of its chain is" });
  }
  return gaps;
}
