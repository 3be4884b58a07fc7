// Identifies the holder of a bearer token. Sluice knows tokens only by their SHA-256. Banks, connectors and operators
// share this rule.
//
// #1 A token is looked up by its SHA-256, in one step however many holders there are. The duration of a look-up depends
//    on the hash alone, and nobody can choose a token by parts of its hash; so it reveals nothing about a token.
// #2 A token appears in no log line, error or answer.
// #3 One holder may have several valid tokens, so that one can replace another. `replace` takes effect at once, as a
//    whole or not at all.
// #4 A holder that is bound to certificates is known only by a token of its own and a certificate of its own together:
//    a token that somebody read is of no use without the key.
// #5 A token ends at its time, without a change of the configuration. Who sends it then learns that, because only
//    who has the token can send it.

import { hash as digest } from "node:crypto";
import type { CertificateBinding, HeldToken } from "@sluice/kernel";
import { type CertificateRefusalReason, judgeCertificate, type PeerCertificate } from "./peer-certificate.ts";

export interface TokenHolder {
  readonly id: string;
  /** The tokens that the holder may use; with none, nobody can call as this holder. */
  readonly tokens: readonly HeldToken[];
  /** The certificates of which it must show one; null: it need not show any. */
  readonly certificates: readonly CertificateBinding[] | null;
}

/** What a caller was known by. */
export interface UsedCredentials {
  /** Id of the token. */
  readonly tokenId: string;
  /** Id of the certificate; null: the holder is bound to none. */
  readonly certificateId: string | null;
}

export type Identified<Holder> = Holder & UsedCredentials;

/** Why nobody was let in. */
export type LogInRefusalReason = "unknown" | "token-expired" | CertificateRefusalReason;

export interface RefusedLogIn {
  readonly ok: false;
  readonly reason: LogInRefusalReason;
  /** Id of the holder whose token was sent; null: the token is not known. */
  readonly holder: string | null;
  /** Id of that token. */
  readonly tokenId: string | null;
  /** Id of the certificate that was shown, if the token is known. */
  readonly certificateId: string | null;
}

export type LogIn<Holder> = { readonly ok: true; readonly holder: Identified<Holder> } | RefusedLogIn;

export interface Tokens<Holder> {
  /** Finds the holder by an `Authorization` header, which may be missing, and the certificate of the connection. */
  identify(authorization: string | null | undefined, certificate: PeerCertificate | null): LogIn<Holder>;
  /** Replaces all holders. Throws if a hash is malformed, and then keeps the former ones. */
  replace(holders: readonly Holder[]): void;
}

const tokenLengthMax = 1024;
const unknown: RefusedLogIn = { ok: false, reason: "unknown", holder: null, tokenId: null, certificateId: null };

export function createTokens<Holder extends TokenHolder>(holders: readonly Holder[], nowMs: () => number): Tokens<Holder> {
  let known = indexHolders(holders);
  return {
    identify(authorization, certificate) {
      const text = /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? "")?.[1];
      if (text === undefined || text.length > tokenLengthMax) return unknown;
      const found = known.get(digest("sha256", text));
      if (found === undefined) return unknown;
      const { holder, token } = found;
      // #5
      const atMs = nowMs();
      const isExpired = token.notAfterMs !== null && atMs > token.notAfterMs;
      const reason = isExpired ? "token-expired" : judgeCertificate(holder.certificates, certificate, atMs);
      const certificateId = certificate?.id ?? null;
      if (reason !== null) return { ok: false, reason, holder: holder.id, tokenId: token.id, certificateId };
      return { ok: true, holder: { ...holder, tokenId: token.id, certificateId: holder.certificates === null ? null : certificateId } };
    },
    replace(next) {
      known = indexHolders(next);
    },
  };
}

interface KnownToken<Holder> {
  readonly holder: Holder;
  readonly token: HeldToken;
}

function indexHolders<Holder extends TokenHolder>(holders: readonly Holder[]): ReadonlyMap<string, KnownToken<Holder>> {
  return new Map(holders.flatMap((holder) => holder.tokens.map((token) => [readHash(holder.id, token.sha256), { holder, token }])));
}

function readHash(id: string, hex: string): string {
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error(`caller ${id}: a token's SHA-256 must be 64 hex digits`);
  return hex.toLowerCase();
}
