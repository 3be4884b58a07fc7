// Verifies the audit: reads its records in the order of the topic, and names each that was changed, is missing, was
// inserted, lies at another place, or was cut off.
//
// #1 What a seal signs is judged by the seal: it names each entry, so an attacker who computes the chains again is
//    still seen. What no seal signs yet is judged by the chains alone.
// #2 The end can be cut off together with its seals. That shows in the age of the last seal, and against a seal that
//    somebody kept elsewhere (`kept`).
// #3 A seal counts only if a known key signed it and it continues the seal before it. Of two consoles that seal at the
//    same moment the first in the topic counts; the other one, of the same number, changes nothing.
// #4 Memory is bounded: at most `unsealedMax` entries wait for their seal, and `problemsMax` problems are kept.

import { type AuditEntry, hashEntry } from "./entry.ts";
import { ChainJudge } from "./judge-chains.ts";
import { type AuditProblem, type FoundEntry, judgeLeaves } from "./judge-leaves.ts";
import { type AuditKeys, type AuditSeal, findSealProblem, hashSeal } from "./seal.ts";

export interface KeptSeal {
  readonly sequence: bigint;
  readonly sha256: string;
}

export interface AuditReport {
  readonly entries: number;
  readonly chains: number;
  readonly seals: number;
  /** Entries behind the last seal. */
  readonly unsealed: number;
  /** Entries that lie in the topic twice with the same bytes. */
  readonly repeats: number;
  /** The last seal that counts, to be kept elsewhere; null: there is none. */
  readonly last: (KeptSeal & { readonly sealedAtMs: number }) | null;
  /** All problems, also those that are not kept. */
  readonly problemCount: number;
  readonly problems: readonly AuditProblem[];
}

export interface AuditVerifier {
  takeEntry(entry: AuditEntry, offset: bigint): void;
  takeSeal(seal: AuditSeal, offset: bigint): void;
  /** A record of the topic that is neither. */
  takeStrange(offset: bigint, why: string): void;
  /** `nowMs` null: the age of the last seal is not judged. */
  report(nowMs: number | null): AuditReport;
}

const unsealedMax = 100_000;
const problemsMax = 1_000;
/** Milliseconds: a console seals every minute. */
const sealAgeMaxMs = 180_000;
const seals = "seals";

export function createAuditVerifier(keys: AuditKeys, kept: readonly KeptSeal[] = []): AuditVerifier {
  return new Verifier(keys, kept);
}

class Verifier implements AuditVerifier {
  readonly #keys: AuditKeys;
  readonly #kept: Map<bigint, string>;
  readonly #chains = new ChainJudge();
  readonly #problems: AuditProblem[] = [];
  #problemCount = 0;
  #unsealed: FoundEntry[] = [];
  #entries = 0;
  #seals = 0;
  /** Numbers of seals that are there, but not as they were signed; at most `problemsMax` matter. */
  readonly #broken = new Set<bigint>();
  /** Entries that a seal has shown to be wrong. */
  readonly #named = new Set<string>();
  #last: { readonly sequence: bigint; readonly sha256: string; readonly previousSha256: string; readonly sealedAtMs: number } | null = null;

  constructor(keys: AuditKeys, kept: readonly KeptSeal[]) {
    this.#keys = keys;
    this.#kept = new Map(kept.map(({ sequence, sha256 }) => [sequence, sha256]));
  }

  takeEntry(entry: AuditEntry, offset: bigint): void {
    const { chain, sequence, previousSha256 } = entry;
    this.#entries += 1;
    this.#unsealed.push({ chain, sequence, previousSha256, sha256: hashEntry(entry), offset });
    // #4
    if (this.#unsealed.length >= unsealedMax) this.#judgeWithoutSeal(this.#unsealed.splice(0));
  }

  takeSeal(seal: AuditSeal, offset: bigint): void {
    const problem = findSealProblem(seal, this.#keys);
    if (problem !== null) {
      this.#broken.add(seal.sequence);
      this.#add([sealProblem("changed", seal, offset, sealTexts[problem])]);
      return;
    }
    const last = this.#last;
    const sha256 = hashSeal(seal);
    // #3
    if (last !== null && seal.sequence === last.sequence && seal.previousSha256 === last.previousSha256) return;
    if (last !== null && seal.sequence <= last.sequence) {
      this.#add([sealProblem("reordered", seal, offset, "lies behind a later seal")]);
      return;
    }
    const isNext = seal.sequence === (last?.sequence ?? 0n) + 1n && seal.previousSha256 === (last?.sha256 ?? "");
    if (isNext) this.#judgeSealed(seal);
    else this.#judgeAfterGap(seal, offset);
    this.#seals += 1;
    this.#last = { sequence: seal.sequence, sha256, previousSha256: seal.previousSha256, sealedAtMs: seal.sealedAtMs };
    const keptSha256 = this.#kept.get(seal.sequence);
    if (keptSha256 === undefined) return;
    this.#kept.delete(seal.sequence);
    if (keptSha256 !== sha256) this.#add([sealProblem("changed", seal, offset, "is not the seal that was kept")]);
  }

  takeStrange(offset: bigint, why: string): void {
    this.#add([{ kind: "inserted", chain: "", sequence: 0n, offset, text: `is no record of the audit: ${why}` }]);
  }

  report(nowMs: number | null): AuditReport {
    const unsealed = this.#unsealed.length;
    this.#judgeWithoutSeal(this.#unsealed.splice(0));
    const sealed = this.#last;
    this.#add([...this.#kept.keys()].map((sequence) => cutOff(sequence, "was kept elsewhere and is not there")));
    // #2
    if (nowMs !== null && sealed !== null && nowMs - sealed.sealedAtMs > sealAgeMaxMs) {
      const minutes = Math.floor((nowMs - sealed.sealedAtMs) / 60_000);
      this.#add([
        cutOff(sealed.sequence + 1n, `is not there: the last seal is ${minutes} min old, so nothing seals or the end was cut off`),
      ]);
    }
    if (sealed === null) this.#add([cutOff(1n, "is not there: nothing was ever sealed, or all of it was cut off")]);
    return {
      entries: this.#entries,
      chains: this.#chains.count,
      seals: this.#seals,
      unsealed,
      repeats: this.#chains.repeats,
      last: sealed === null ? null : { sequence: sealed.sequence, sha256: sealed.sha256, sealedAtMs: sealed.sealedAtMs },
      problemCount: this.#problemCount,
      problems: this.#problems,
    };
  }

  /** #1 */
  #judgeSealed({ leaves }: AuditSeal): void {
    const { problems, taken } = judgeLeaves(leaves, this.#unsealed);
    const sealed = this.#unsealed.splice(0, taken);
    this.#add(problems);
    for (const { chain, sequence } of problems.slice(0, problemsMax)) this.#named.add(`${chain} ${sequence}`);
    this.#judgeWithoutSeal(sealed);
  }

  /** The seal before it is not there, so nothing signs the entries before the first that this one names. */
  #judgeAfterGap(seal: AuditSeal, offset: bigint): void {
    const expected = (this.#last?.sequence ?? 0n) + 1n;
    const isGap = seal.sequence > expected;
    const text = isGap ? `is not there, up to ${seal.sequence - 1n}` : "does not continue the seal before it";
    const isKnown = isGap && this.#broken.has(expected) && seal.sequence === expected + 1n;
    if (!isKnown) this.#add([isGap ? { ...cutOff(expected, text), kind: "missing" } : sealProblem("changed", seal, offset, text)]);
    const known = new Set(seal.leaves.map(({ sha256 }) => sha256));
    const first = this.#unsealed.findIndex(({ sha256 }) => known.has(sha256));
    if (first > 0) this.#judgeWithoutSeal(this.#unsealed.splice(0, first));
    this.#judgeSealed(seal);
  }

  #judgeWithoutSeal(entries: readonly FoundEntry[]): void {
    this.#add(this.#chains.judge(entries).filter((found) => !this.#isNamed(found)));
  }

  /** A chain that breaks at an entry that its seal has named already shows nothing new. */
  #isNamed({ chain, sequence }: AuditProblem): boolean {
    return [sequence - 1n, sequence, sequence + 1n].some((number) => this.#named.has(`${chain} ${number}`));
  }

  #add(problems: readonly AuditProblem[]): void {
    this.#problemCount += problems.length;
    this.#problems.push(...problems.slice(0, Math.max(0, problemsMax - this.#problems.length)));
  }
}

const sealTexts = {
  "unknown-key": "was signed by a key that is not known",
  signature: "is not what its key signed",
  leaves: "names other entries than it signed",
} as const;

function sealProblem(kind: AuditProblem["kind"], { sequence }: AuditSeal, offset: bigint, text: string): AuditProblem {
  return { kind, chain: seals, sequence, offset, text };
}

function cutOff(sequence: bigint, text: string): AuditProblem {
  return { kind: "cut-off", chain: seals, sequence, offset: null, text };
}
