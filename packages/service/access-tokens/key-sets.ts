// The public keys of authorization servers: each issuer's key set, read when it is needed and kept.
//
// #1 A set is read again after `freshMs`, while the former one is still used. Without an answer it is used for
//    `keptMs`, because who issues tokens may be away for a while; afterwards no token of the issuer is let in.
// #2 A token with an unknown key has the set read at once, but not within `coolDownMs` of the last attempt: anybody can
//    send such tokens. All that wait share one reading.
// #3 A set has at most `keysMax` keys in `charactersMax` characters. Symmetric and private keys in it do not count.
// #4 Each scrape of the metrics has the sets read that are due, so that an alarm comes before the next caller does.
//    A set is due after `freshMs`, and after a failed attempt as soon as #2 allows.

import { createLocalJWKSet, errors, type JWK, type JWTVerifyGetKey } from "jose";
import { formatReason, type Logger, type Time, type TokenIssuer } from "@sluice/kernel";

/** Reads the text of an issuer's key set. Rejects where that is not possible. */
export type LoadKeySet = (issuer: TokenIssuer) => Promise<string>;

export interface KeySets {
  /** Rejects with `KeysAway` where the issuer's keys are not known, and with jose's errors where none fits. */
  keyFor(issuer: TokenIssuer): JWTVerifyGetKey;
  /** Forgets the keys of all other issuers. */
  keep(issuers: readonly TokenIssuer[]): void;
  /** Begins to read the issuer's keys where they are due, and says whether the last attempt failed. */
  look(issuer: TokenIssuer): boolean;
}

export class KeysAway extends Error {}

export const freshMs = 300_000;
export const keptMs = 3_600_000;
export const coolDownMs = 30_000;
const keysMax = 100;
const charactersMax = 65_536;

interface KeySetPorts {
  readonly time: Pick<Time, "monotonicMs">;
  readonly logger: Logger;
  readonly load: LoadKeySet;
}

export function createKeySets(ports: KeySetPorts): KeySets {
  let kept = new Map<string, KeySet>();
  function setOf(issuer: TokenIssuer): KeySet {
    const name = JSON.stringify(issuer);
    const set = kept.get(name) ?? new KeySet(issuer, ports);
    kept.set(name, set);
    return set;
  }

  return {
    keyFor(issuer) {
      const set = setOf(issuer);
      return async (header, token) => await set.find(header, token);
    },
    look: (issuer) => setOf(issuer).look(),
    keep(issuers) {
      const names = new Set(issuers.map((issuer) => JSON.stringify(issuer)));
      kept = new Map([...kept].filter(([name]) => names.has(name)));
    },
  };
}

type FoundKey = Awaited<ReturnType<JWTVerifyGetKey>>;

class KeySet {
  readonly #issuer: TokenIssuer;
  readonly #ports: KeySetPorts;
  #keys: JWTVerifyGetKey | null = null;
  #readMs = 0;
  #triedMs = -Infinity;
  #reading: Promise<void> | null = null;
  #isNotRead = false;

  constructor(issuer: TokenIssuer, ports: KeySetPorts) {
    this.#issuer = issuer;
    this.#ports = ports;
  }

  async find(...[header, token]: Parameters<JWTVerifyGetKey>): Promise<FoundKey> {
    const ageMs = this.#ports.time.monotonicMs() - this.#readMs;
    if (this.#keys === null || ageMs >= keptMs) await this.#readAgain();
    else if (ageMs >= freshMs) void this.#readAgain();
    const keys = this.#known();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#readAgain();
      return await this.#known()(header, token);
    }
  }

  /** #4 */
  look(): boolean {
    const ageMs = this.#ports.time.monotonicMs() - this.#readMs;
    if (this.#keys === null || this.#isNotRead || ageMs >= freshMs) void this.#readAgain();
    return this.#isNotRead;
  }

  /** #1 */
  #known(): JWTVerifyGetKey {
    if (this.#keys === null || this.#ports.time.monotonicMs() - this.#readMs >= keptMs) throw new KeysAway();
    return this.#keys;
  }

  /** #2 */
  #readAgain(): Promise<void> {
    if (this.#reading !== null) return this.#reading;
    const nowMs = this.#ports.time.monotonicMs();
    if (nowMs - this.#triedMs < coolDownMs) return Promise.resolve();
    this.#triedMs = nowMs;
    this.#reading = this.#read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { logger, load, time } = this.#ports;
    const { issuer } = this.#issuer;
    try {
      const keys = readKeys(await load(this.#issuer));
      this.#keys = createLocalJWKSet({ keys: [...keys] });
      this.#readMs = time.monotonicMs();
      this.#isNotRead = false;
      logger.info("access-tokens.keys-read", { issuer, count: keys.length });
    } catch (error) {
      this.#isNotRead = true;
      logger.error("access-tokens.keys-not-read", { issuer, reason: formatReason(error), hasFormer: this.#keys !== null });
    }
  }
}

/** #3 */
function readKeys(text: string): readonly JWK[] {
  if (text.length > charactersMax) throw new Error(`a key set of more than ${charactersMax} characters`);
  const set: unknown = JSON.parse(text);
  const keys: unknown = typeof set === "object" && set !== null && "keys" in set ? set.keys : null;
  if (!Array.isArray(keys) || keys.length > keysMax) throw new Error(`no key set of at most ${keysMax} keys`);
  return keys.filter((key) => isPublicKey(key));
}

function isPublicKey(key: unknown): key is JWK {
  return typeof key === "object" && key !== null && "kty" in key && key.kty !== "oct" && !("d" in key);
}
