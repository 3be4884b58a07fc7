// Identifies the holder of a bearer token. Sluice knows tokens only by their SHA-256. Banks, connectors and operators
// share this rule.
//
// #1 The duration of a look-up reveals nothing about a token: it is compared with every known hash, each time in
//    constant time.
// #2 A token appears in no log line, error or answer.
// #3 One holder may have several valid tokens, so that one can replace another. `replace` takes effect at once, as a
//    whole or not at all.

import { createHash, timingSafeEqual } from "node:crypto";

export interface TokenHolder {
  readonly id: string;
  /** SHA-256, hex, of each token that the holder may use; with none, nobody can call as this holder. */
  readonly tokenSha256: readonly string[];
}

/** The holder, and which of its tokens it used: the first hexadecimal digits of the token's SHA-256. */
export type Identified<Holder> = Holder & { readonly tokenId: string };

export interface Tokens<Holder> {
  /** Finds the holder by an `Authorization` header; null if it is missing, not a bearer token, or unknown. */
  identify(authorization: string | null | undefined): Identified<Holder> | null;
  /** Replaces all holders. Throws if a hash is malformed, and then keeps the former ones. */
  replace(holders: readonly Holder[]): void;
}

const tokenLengthMax = 1024;
const tokenIdDigits = 8;

export function createTokens<Holder extends TokenHolder>(holders: readonly Holder[]): Tokens<Holder> {
  let known = holders.flatMap(readHashes);
  return {
    identify(authorization) {
      const token = /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? "")?.[1];
      if (token === undefined || token.length > tokenLengthMax) return null;
      const presented = createHash("sha256").update(token).digest();
      let found: Holder | null = null;
      for (const { holder, hash } of known) {
        if (timingSafeEqual(hash, presented)) found = holder;
      }
      return found === null ? null : { ...found, tokenId: presented.toString("hex").slice(0, tokenIdDigits) };
    },
    replace(next) {
      known = next.flatMap(readHashes);
    },
  };
}

function readHashes<Holder extends TokenHolder>(holder: Holder): { readonly holder: Holder; readonly hash: Buffer }[] {
  return holder.tokenSha256.map((hex) => ({ holder, hash: hashBytes(holder.id, hex) }));
}

function hashBytes(id: string, hex: string): Buffer {
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error(`caller ${id}: a token's SHA-256 must be 64 hex digits`);
  return Buffer.from(hex, "hex");
}
