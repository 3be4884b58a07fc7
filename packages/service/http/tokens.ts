// Identifies the holder of a bearer token. Sluice knows tokens only by their SHA-256. Banks, connectors and operators
// share this rule.
//
// #1 A token is looked up by its SHA-256, in one step however many holders there are. The duration of a look-up depends
//    on the hash alone, and nobody can choose a token by parts of its hash; so it reveals nothing about a token.
// #2 A token appears in no log line, error or answer.
// #3 One holder may have several valid tokens, so that one can replace another. `replace` takes effect at once, as a
//    whole or not at all.

import { hash as digest } from "node:crypto";
import { tokenId } from "@sluice/kernel";

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

export function createTokens<Holder extends TokenHolder>(holders: readonly Holder[]): Tokens<Holder> {
  let known = indexHolders(holders);
  return {
    identify(authorization) {
      const token = /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? "")?.[1];
      if (token === undefined || token.length > tokenLengthMax) return null;
      const hash = digest("sha256", token);
      const holder = known.get(hash);
      return holder === undefined ? null : { ...holder, tokenId: tokenId(hash) };
    },
    replace(next) {
      known = indexHolders(next);
    },
  };
}

function indexHolders<Holder extends TokenHolder>(holders: readonly Holder[]): ReadonlyMap<string, Holder> {
  return new Map(holders.flatMap((holder) => holder.tokenSha256.map((hex) => [readHash(holder.id, hex), holder])));
}

function readHash(id: string, hex: string): string {
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error(`caller ${id}: a token's SHA-256 must be 64 hex digits`);
  return hex.toLowerCase();
}
