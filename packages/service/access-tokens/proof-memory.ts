// Remembers the proofs of possession that were accepted, so that none counts twice (RFC 9449, section 11.1).
//
// #1 A proof is remembered for one to two windows of `proofWindowMs`, which is longer than it counts.
// #2 A client has at most `proofsOfClientMax` proofs in a window. All have `proofsMax`, and beyond that a client still
//    has `proofsReserved`: one that sends too many takes no place from the others. What finds no place is refused,
//    because to forget a proof would let it in again.
// #3 A proof is known by 52 bits of a hash. Of a hundred thousand proofs two are alike once in a million times, and
//    then the later one is refused.

import { hash } from "node:crypto";
import { proofLifeMs } from "./possession-proof.ts";

type ProofUse = "first" | "again" | "too-many";

export interface ProofMemory {
  /** Tells whether the client used this proof before, and remembers it. `key` names the client's key. */
  use(client: string, key: string, id: string): ProofUse;
}

export const proofWindowMs = proofLifeMs + 1_000;
export const proofsOfClientMax = 32_768;
export const proofsMax = 131_072;
export const proofsReserved = 4_096;

const digits = 13;

export function createProofMemory(monotonicMs: () => number): ProofMemory {
  let windowStartMs = monotonicMs();
  let [current, previous] = [new Map<string, Set<number>>(), new Map<string, Set<number>>()];
  let count = 0;

  /** #1 */
  function turn(): void {
    const elapsedMs = monotonicMs() - windowStartMs;
    if (elapsedMs < proofWindowMs) return;
    previous = elapsedMs < 2 * proofWindowMs ? current : new Map();
    current = new Map();
    count = 0;
    windowStartMs = monotonicMs();
  }

  return {
    use(client, key, id) {
      turn();
      const mark = Number.parseInt(hash("sha256", `${key} ${id}`).slice(0, digits), 16);
      const own = current.get(client) ?? new Set();
      if (own.has(mark) || previous.get(client)?.has(mark) === true) return "again";
      // #2
      if (own.size >= proofsOfClientMax || (count >= proofsMax && own.size >= proofsReserved)) return "too-many";
      current.set(client, own.add(mark));
      count += 1;
      return "first";
    },
  };
}
