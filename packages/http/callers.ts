// Who is calling: a bearer token, known to Sluice only by its SHA-256.
//
// 1. The time that a look-up takes says nothing about a token: every known hash is compared, each in constant time.
// 2. A token is in no log, error or answer.

import { createHash, timingSafeEqual } from "node:crypto";

export interface CallerTokens {
  readonly id: string;
  /** SHA-256, hex, of each token that the caller may use. */
  readonly tokenSha256: readonly string[];
}

export interface Callers {
  /** The caller's id from an `Authorization` header; null: none, not a bearer token, or not known. */
  identify(authorization: string | null | undefined): string | null;
}

const tokenLengthMax = 1024;

export function createCallers(callers: readonly CallerTokens[]): Callers {
  const known = callers.flatMap(({ id, tokenSha256 }) => tokenSha256.map((hex) => ({ id, hash: hashBytes(id, hex) })));
  return {
    identify(authorization) {
      const token = /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? "")?.[1];
      if (token === undefined || token.length > tokenLengthMax) return null;
      const presented = createHash("sha256").update(token).digest();
      let found: string | null = null;
      for (const { id, hash } of known) {
        if (timingSafeEqual(hash, presented)) found = id;
      }
      return found;
    },
  };
}

function hashBytes(id: string, hex: string): Buffer {
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error(`caller ${id}: a token's SHA-256 must be 64 hex digits`);
  return Buffer.from(hex, "hex");
}
