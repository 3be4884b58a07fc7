// Who is calling: a bearer token, known to Sluice only by its SHA-256. One rule for every service that banks or connectors call.
//
// 1. The time that a look-up takes says nothing about a token: every known hash is compared, each in constant time.
// 2. A token is in no log, error or answer.
// 3. Several tokens of one caller are good at a time, so that one can replace another; `replace` changes who is known at once, as a
//    whole or not at all.

import { createHash, timingSafeEqual } from "node:crypto";

export type CallerKind = "bank" | "connector";

export interface Caller {
  /** Configured id, unique among banks and connectors. */
  readonly id: string;
  readonly kind: CallerKind;
}

export interface CallerCredentials extends Caller {
  /** SHA-256, hex, of each token that the caller may use; none: nobody can call as this one. */
  readonly tokenSha256: readonly string[];
}

export interface Callers {
  /** The caller of an `Authorization` header; null: none, not a bearer token, or not known. */
  identify(authorization: string | null | undefined): Caller | null;
  /** Throws, and keeps those it had, where a hash is none. */
  replace(parties: readonly CallerCredentials[]): void;
}

const tokenLengthMax = 1024;

export function createCallers(parties: readonly CallerCredentials[]): Callers {
  let known = parties.flatMap(hashesOf);
  return {
    identify(authorization) {
      const token = /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? "")?.[1];
      if (token === undefined || token.length > tokenLengthMax) return null;
      const presented = createHash("sha256").update(token).digest();
      let found: Caller | null = null;
      for (const { caller, hash } of known) {
        if (timingSafeEqual(hash, presented)) found = caller;
      }
      return found;
    },
    replace(next) {
      known = next.flatMap(hashesOf);
    },
  };
}

function hashesOf({ id, kind, tokenSha256 }: CallerCredentials): { readonly caller: Caller; readonly hash: Buffer }[] {
  return tokenSha256.map((hex) => ({ caller: { id, kind }, hash: hashBytes(id, hex) }));
}

function hashBytes(id: string, hex: string): Buffer {
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error(`caller ${id}: a token's SHA-256 must be 64 hex digits`);
  return Buffer.from(hex, "hex");
}
