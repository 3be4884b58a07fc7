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
// #6 What is no known token may be an access token of an authorization server (`access-tokens/access-tokens.ts`). Its
//    client is one of the holder's, and #4 holds for it too. Where nobody has the client, it may be a person's.

import { hash as digest } from "node:crypto";
import type { CertificateBinding, HeldToken, TokenClient } from "@sluice/kernel";
import type { AccessTokenRefusalReason, AccessTokens, JudgedToken, ShownWithToken } from "../access-tokens/access-tokens.ts";
import { type CertificateRefusalReason, judgeCertificate } from "./peer-certificate.ts";

export interface TokenHolder {
  readonly id: string;
  /** The tokens that the holder may use; with none, nobody can call as this holder. */
  readonly tokens: readonly HeldToken[];
  /** The certificates of which it must show one; null: it need not show any. */
  readonly certificates: readonly CertificateBinding[] | null;
  /** The clients of authorization servers whose access tokens are the holder's; left out: none. */
  readonly clients?: readonly TokenClient[];
}

/** What comes with a request. */
export interface ShownCredentials extends ShownWithToken {
  /** The `Authorization` header. */
  readonly authorization: string | null;
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
export type LogInRefusalReason = "unknown" | "keys-away" | AccessTokenRefusalReason | CertificateRefusalReason;

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
  identify(shown: ShownCredentials): Promise<LogIn<Holder>>;
  /** Replaces all holders. Throws if a hash is malformed, and then keeps the former ones. */
  replace(holders: readonly Holder[]): void;
}

const tokenLengthMax = 1024;
const unknown: RefusedLogIn = { ok: false, reason: "unknown", holder: null, tokenId: null, certificateId: null };

/** Finds whose an access token is by its claims, where no holder has its client. */
export type IdentifyPerson<Holder> = (
  judged: Exclude<JudgedToken, { readonly kind: "unknown" | "keys-away" }>,
  shown: ShownCredentials,
) => LogIn<Holder>;

/** Without `accessTokens` no authorization server is trusted. */
export function createTokens<Holder extends TokenHolder>(
  holders: readonly Holder[],
  nowMs: () => number,
  accessTokens: Pick<AccessTokens, "judge"> | null = null,
  identifyPerson: IdentifyPerson<Holder> | null = null,
): Tokens<Holder> {
  let known = indexHolders(holders);

  function letIn(holder: Holder, token: string, { certificate }: ShownCredentials, isExpired: boolean): LogIn<Holder> {
    const reason = isExpired ? "token-expired" : judgeCertificate(holder.certificates, certificate, nowMs());
    const certificateId = certificate?.id ?? null;
    if (reason !== null) return { ok: false, reason, holder: holder.id, tokenId: token, certificateId };
    return { ok: true, holder: { ...holder, tokenId: token, certificateId: holder.certificates === null ? null : certificateId } };
  }

  /** #6 */
  async function judge(scheme: "bearer" | "dpop", text: string, shown: ShownCredentials): Promise<LogIn<Holder>> {
    if (accessTokens === null) return unknown;
    const judged = await accessTokens.judge(scheme, text, shown);
    if (judged.kind === "keys-away") return { ...unknown, reason: "keys-away" };
    if (judged.kind === "unknown") return unknown;
    const holder = known.clients.get(clientName(judged.client));
    if (holder === undefined) return identifyPerson?.(judged, shown) ?? unknown;
    const { tokenId } = judged;
    if (judged.kind === "good") return letIn(holder, tokenId, shown, false);
    return { ok: false, reason: judged.reason, holder: holder.id, tokenId, certificateId: shown.certificate?.id ?? null };
  }

  return {
    async identify(shown) {
      const [, scheme = "", text] = /^(Bearer|DPoP) ([A-Za-z0-9\-._~+/]+=*)$/i.exec(shown.authorization ?? "") ?? [];
      if (text === undefined) return unknown;
      if (scheme.toLowerCase() === "dpop") return await judge("dpop", text, shown);
      const found = text.length > tokenLengthMax ? undefined : known.tokens.get(digest("sha256", text));
      if (found === undefined) return await judge("bearer", text, shown);
      const { holder, token } = found;
      // #5
      return letIn(holder, token.id, shown, token.notAfterMs !== null && nowMs() > token.notAfterMs);
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

interface KnownHolders<Holder> {
  readonly tokens: ReadonlyMap<string, KnownToken<Holder>>;
  readonly clients: ReadonlyMap<string, Holder>;
}

function indexHolders<Holder extends TokenHolder>(holders: readonly Holder[]): KnownHolders<Holder> {
  return {
    tokens: new Map(holders.flatMap((holder) => holder.tokens.map((token) => [readHash(holder.id, token.sha256), { holder, token }]))),
    clients: new Map(holders.flatMap((holder) => (holder.clients ?? []).map((client) => [clientName(client), holder]))),
  };
}

function clientName({ issuer, clientId }: TokenClient): string {
  return JSON.stringify([issuer, clientId]);
}

function readHash(id: string, hex: string): string {
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error(`caller ${id}: a token's SHA-256 must be 64 hex digits`);
  return hex.toLowerCase();
}
