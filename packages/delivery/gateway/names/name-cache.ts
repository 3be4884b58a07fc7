// Keeps what names resolved to. Time is an argument: monotonic milliseconds.
//
// fresh → stale (its time to live is over: still used, and asked for again) → forgotten
//
// #1 An answer that says that a name has no address replaces its addresses. A question without an answer leaves them,
//    because an address that was right some minutes ago is better than none.
// #2 A failure is kept shortly, so that a name that fails is asked for once in a while and not for each connection.
// #3 With `namesMax` names the one that was answered longest ago is forgotten.

import type { NameFailureReason } from "./name-failure.ts";
import type { ResolvedAddress } from "./resolved-address.ts";

export interface NameCacheBounds {
  readonly namesMax: number;
  /** The least and the most milliseconds for which an answer is fresh, whatever its time to live. */
  readonly freshMinMs: number;
  readonly freshMaxMs: number;
  /** Milliseconds for which addresses are used after they were fresh. */
  readonly staleMaxMs: number;
  /** Milliseconds for which it is known that a name has no address. */
  readonly absentMs: number;
  /** Milliseconds without a further question after one that had no answer. */
  readonly failedMs: number;
}

export const nameCacheBounds: NameCacheBounds = {
  namesMax: 8_192,
  freshMinMs: 5_000,
  freshMaxMs: 300_000,
  staleMaxMs: 3_600_000,
  absentMs: 5_000,
  failedMs: 1_000,
};

export interface KnownName {
  /** Fresh or stale addresses, null if there are none to use. */
  readonly addresses: readonly ResolvedAddress[] | null;
  /** Why there are none, if that is known. */
  readonly failure: NameFailureReason | null;
  readonly mustAsk: boolean;
}

interface CachedName {
  readonly addresses: readonly ResolvedAddress[] | null;
  readonly failure: NameFailureReason | null;
  /** From then on the name is asked for again. */
  readonly askFromMs: number;
  readonly forgetFromMs: number;
}

const unknownName: KnownName = { addresses: null, failure: null, mustAsk: true };

export class NameCache {
  readonly #names = new Map<string, CachedName>();
  readonly #bounds: NameCacheBounds;

  constructor(bounds: NameCacheBounds) {
    this.#bounds = bounds;
  }

  find(name: string, nowMs: number): KnownName {
    const known = this.#names.get(name);
    if (known === undefined || nowMs >= known.forgetFromMs) return unknownName;
    return { addresses: known.addresses, failure: known.failure, mustAsk: nowMs >= known.askFromMs };
  }

  keepAddresses(name: string, addresses: readonly ResolvedAddress[], ttlMs: number, nowMs: number): void {
    const { freshMinMs, freshMaxMs, staleMaxMs } = this.#bounds;
    const askFromMs = nowMs + Math.min(freshMaxMs, Math.max(freshMinMs, ttlMs));
    this.#keep(name, { addresses, failure: null, askFromMs, forgetFromMs: askFromMs + staleMaxMs });
  }

  /** #1 #2 */
  keepFailure(name: string, failure: NameFailureReason, nowMs: number): void {
    const known = this.#names.get(name);
    const isAnswer = failure === "ENOTFOUND" || failure === "ENODATA";
    const askFromMs = nowMs + (isAnswer ? this.#bounds.absentMs : this.#bounds.failedMs);
    if (!isAnswer && known !== undefined && known.addresses !== null && nowMs < known.forgetFromMs) {
      this.#keep(name, { ...known, askFromMs });
    } else {
      this.#keep(name, { addresses: null, failure, askFromMs, forgetFromMs: askFromMs });
    }
  }

  /** Has every name asked for again, because other servers or search domains answer from now on. */
  expireAll(nowMs: number): void {
    for (const [name, known] of this.#names) {
      if (known.addresses === null) this.#names.delete(name);
      else this.#names.set(name, { ...known, askFromMs: Math.min(known.askFromMs, nowMs) });
    }
  }

  /** #3 */
  #keep(name: string, known: CachedName): void {
    this.#names.delete(name);
    this.#names.set(name, known);
    if (this.#names.size <= this.#bounds.namesMax) return;
    const [oldest] = this.#names.keys();
    if (oldest !== undefined) this.#names.delete(oldest);
  }
}
