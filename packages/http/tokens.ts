// Who holds a bearer token: known to Sluice only by its SHA-256. One rule for everybody that calls: banks, connectors, operators.
//
// 1. The time that a look-up takes says nothing about a token: every known hash is compared, each in constant time.
// 2. A token is in no log, error or answer.
// 3. Several tokens of one holder are good at a time, so that one can replace another; `replace` changes who is known at once, as a
//    whole or not at all.

import { createHash, timingSafeEqual } from "node:crypto";

export interface TokenHolder {
  readonly id: string;
  /** SHA-256, hex, of each token that the holder may use; none: nobody can call as this one. */
  readonly tokenSha256: readonly string[];
}

export interface Tokens<Holder> {
  /** The holder named by an `Authorization` header; null: none, not a bearer token, or not known. */
  identify(authorization: string | null | undefined): Holder | null;
  /** Throws, and keeps those it had, where a hash is none. */
  replace(holders: readonly Holder[]): void;
}

const tokenLengthMax = 1024;

export function createTokens<Holder extends TokenHolder>(holders: readonly Holder[]): Tokens<Holder> {
  let known = holders.flatMap(hashesOf);
  return {
    identify(authorization) {
      const token = /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? "")?.[1];
      if (token === undefined || token.length > tokenLengthMax) return null;
      const presented = createHash("sha256").update(token).digest();
      let found: Holder | null = null;
      for (const { holder, hash } of known) {
        if (timingSafeEqual(hash, presented)) found = holder;
      }
      return found;
    },
    replace(next) {
      known = next.flatMap(hashesOf);
    },
  };
}

function hashesOf<Holder extends TokenHolder>(holder: Holder): { readonly holder: Holder; readonly hash: Buffer }[] {
  return holder.tokenSha256.map((hex) => ({ holder, hash: hashBytes(holder.id, hex) }));
}

function hashBytes(id: string, hex: string): Buffer {
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error(`caller ${id}: a token's SHA-256 must be 64 hex digits`);
  return Buffer.from(hex, "hex");
}
