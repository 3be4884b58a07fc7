// Sign-ins that are under way at the provider: what each was begun with.
//
// #1 A flow ends `flowLifeMs` after it was begun, and can be taken once.
// #2 There are at most `flowsMax`, and `flowsOfOneMax` of one address; beyond that the oldest of them ends. So nobody
//    fills the memory, and one address that begins many ends first its own.
// #3 A flow is known by 256 random bits that only its browser has, in a cookie. What the provider hands back, `state`,
//    is another value: who sees an address of the provider cannot go on with the flow.

import type { Random, Time } from "@sluice/kernel";

export interface SignInFlow {
  readonly id: string;
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636). */
  readonly verifier: string;
  /** Where the browser goes afterwards. */
  readonly next: string;
  /** The provider at which it was begun, so that a new configuration ends it. */
  readonly provider: string;
}

export interface SignInFlows {
  begin(next: string, provider: string, remoteAddress: string | null): SignInFlow;
  /** Null: there is no such flow, or it has ended. */
  take(id: string): SignInFlow | null;
}

export const flowLifeMs = 5 * 60_000;
export const flowsMax = 1_000;
export const flowsOfOneMax = 100;
const secretBytes = 32;

interface Kept {
  readonly flow: SignInFlow;
  readonly remoteAddress: string | null;
  readonly begunMs: number;
}

export function createSignInFlows({ time, random }: { readonly time: Pick<Time, "monotonicMs">; readonly random: Random }): SignInFlows {
  // In the order in which they were begun.
  const kept = new Map<string, Kept>();

  const isOver = ({ begunMs }: Kept): boolean => time.monotonicMs() - begunMs >= flowLifeMs;

  /** #2 */
  function makePlace(remoteAddress: string | null): void {
    for (const [id, one] of kept) {
      if (!isOver(one)) break;
      kept.delete(id);
    }
    const own = [...kept].filter(([, one]) => one.remoteAddress === remoteAddress).map(([id]) => id);
    const [oldestOwn] = own;
    const [oldest] = kept.keys();
    if (own.length >= flowsOfOneMax && oldestOwn !== undefined) kept.delete(oldestOwn);
    else if (kept.size >= flowsMax && oldest !== undefined) kept.delete(oldest);
  }

  return {
    begin(next, provider, remoteAddress) {
      makePlace(remoteAddress);
      const [id, state, nonce, verifier] = [0, 1, 2, 3].map(() => random.hex(secretBytes));
      if (id === undefined || state === undefined || nonce === undefined || verifier === undefined) throw new Error("four were made");
      const flow = { id, state, nonce, verifier, next, provider };
      kept.set(id, { flow, remoteAddress, begunMs: time.monotonicMs() });
      return flow;
    },
    take(id) {
      const found = kept.get(id);
      kept.delete(id);
      return found === undefined || isOver(found) ? null : found.flow;
    },
  };
}
