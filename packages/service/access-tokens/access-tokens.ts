// Judges access tokens of authorization servers (RFC 9068): signature, issuer, audience, times, and that the sender has
// the key that the token is bound to, by its certificate (RFC 8705) or by a proof (DPoP, RFC 9449).
//
// #1 A token that is bound to nothing is refused: who reads it could use it.
// #2 Algorithms are those of the issuer's setting, and never what the token says. A key of another kind does not fit.
// #3 What is wrong with a token is said only of one that its issuer has signed.
// #4 A token of both kinds needs both, and a token that is bound by proof is refused as a plain bearer token.
// #5 The metric has one series for each configured issuer, of which the configuration bounds the number.

import { hash } from "node:crypto";
import { decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import { type ListedMetric, type Logger, type Metrics, type Time, type TokenClient, tokenId, type TokenIssuer } from "@sluice/kernel";
import { type CertificateRefusalReason, judgeCertificate, type PeerCertificate } from "../callers/peer-certificate.ts";
import { createKeySets, KeysAway, type LoadKeySet } from "./key-sets.ts";
import { clockToleranceS, readProof } from "./possession-proof.ts";
import { createProofMemory } from "./proof-memory.ts";

/** What comes with a request besides the token. */
export interface ShownWithToken {
  /** The `DPoP` header. */
  readonly proof: string | null;
  readonly method: string;
  readonly url: string;
  readonly certificate: PeerCertificate | null;
}

export type AccessTokenRefusalReason =
  | "token-expired"
  | "wrong-audience"
  | "token-not-bound"
  | "proof-missing"
  | "proof-refused"
  | "proof-repeated"
  | "proofs-too-many"
  | CertificateRefusalReason;

export type JudgedToken =
  | { readonly kind: "good"; readonly client: TokenClient; readonly tokenId: string; readonly claims: Readonly<Record<string, unknown>> }
  | { readonly kind: "refused"; readonly client: TokenClient; readonly tokenId: string; readonly reason: AccessTokenRefusalReason }
  | { readonly kind: "unknown" }
  /** The issuer's keys cannot be had now. */
  | { readonly kind: "keys-away" };

export interface AccessTokens {
  judge(scheme: "bearer" | "dpop", token: string, shown: ShownWithToken): Promise<JudgedToken>;
  replace(issuers: readonly TokenIssuer[]): void;
}

/** What access tokens need of the process. */
export interface TokenPorts {
  readonly loadKeySet: LoadKeySet;
  /** Origins under which callers reach us; none: the one that a request names. */
  readonly origins: readonly string[];
}

interface AccessTokenPorts {
  readonly time: Pick<Time, "nowMs" | "monotonicMs">;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "listed">;
  /** Left out: no access token is judged. */
  readonly tokenPorts?: TokenPorts;
}

const tokenCharactersMax = 8_192;

const notReadMetric: ListedMetric = {
  name: "sluice_token_issuer_keys_not_read",
  help: "1: the keys of this issuer of access tokens could not be read at the last attempt",
  kind: "gauge",
  labels: ["issuer"],
};

export function openAccessTokens(initial: readonly TokenIssuer[], ports: AccessTokenPorts): AccessTokens | null {
  const { time, logger, metrics, tokenPorts } = ports;
  return tokenPorts === undefined ? null : createAccessTokens(initial, { time, logger, metrics, ...tokenPorts });
}

function createAccessTokens(initial: readonly TokenIssuer[], ports: Omit<AccessTokenPorts, "tokenPorts"> & TokenPorts): AccessTokens {
  const { time, logger, metrics, loadKeySet: load, origins } = ports;
  const keySets = createKeySets({ time, logger, load });
  const proofs = createProofMemory(() => time.monotonicMs());
  let issuers = indexIssuers(initial);
  // #5
  metrics.listed([notReadMetric], () =>
    [...issuers.values()].map((one) => ({ name: notReadMetric.name, labels: { issuer: one.issuer }, value: Number(keySets.look(one)) })),
  );

  async function judgeSender(issuer: TokenIssuer, signed: Signed, scheme: string, token: string, shown: ShownWithToken) {
    const { certificateSha256, keyThumbprint: thumbprint } = signed;
    // #1
    if (certificateSha256 === null && thumbprint === null) return "token-not-bound";
    const bindings = certificateSha256 === null ? null : [{ kind: "sha256", sha256: certificateSha256 } as const];
    const refusal = judgeCertificate(bindings, shown.certificate, time.nowMs());
    if (refusal !== null) return refusal;
    // #4
    if (thumbprint === null) return scheme === "dpop" ? "proof-refused" : null;
    if (scheme !== "dpop" || shown.proof === null) return "proof-missing";
    if (origins.length === 0) logger.warn("access-tokens.origins-not-said", { client: signed.client.clientId });
    const { algorithms } = issuer;
    const id = await readProof(shown.proof, { ...shown, token, thumbprint }, { algorithms, origins, nowMs: time.nowMs() });
    if (id === null) return "proof-refused";
    return proofRefusals[proofs.use(`${issuer.issuer} ${signed.client.clientId}`, thumbprint, id)];
  }

  return {
    async judge(scheme, token, shown) {
      const issuer = token.length > tokenCharactersMax ? undefined : issuers.get(readIssuer(token) ?? "");
      if (issuer === undefined) return { kind: "unknown" };
      try {
        const { issuer: name, audience, algorithms } = issuer;
        // #2
        const { payload } = await jwtVerify(token, keySets.keyFor(issuer), {
          issuer: name,
          audience,
          algorithms: [...algorithms],
          typ: "at+jwt",
          currentDate: new Date(time.nowMs()),
          clockTolerance: clockToleranceS,
          requiredClaims: ["exp", "aud", "sub", "client_id", "iat", "jti"],
        });
        const signed = readSigned(name, payload, token);
        if (signed === null) return { kind: "unknown" };
        const reason = await judgeSender(issuer, signed, scheme, token, shown);
        const { client, tokenId: id } = signed;
        return reason === null ? { kind: "good", client, tokenId: id, claims: payload } : { kind: "refused", client, tokenId: id, reason };
      } catch (error) {
        return refuse(issuer.issuer, token, error);
      }
    },
    replace(next) {
      issuers = indexIssuers(next);
      keySets.keep(next);
    },
  };
}

const proofRefusals = { first: null, again: "proof-repeated", "too-many": "proofs-too-many" } as const;

/** What an issuer has signed. */
interface Signed {
  readonly client: TokenClient;
  readonly tokenId: string;
  /** SHA-256 of the certificate that the token is bound to, hex. */
  readonly certificateSha256: string | null;
  /** Thumbprint of the key that the token is bound to. */
  readonly keyThumbprint: string | null;
}

/** Null: it names no client, or is bound to what cannot be read. */
function readSigned(issuer: string, payload: JWTPayload, token: string): Signed | null {
  const { client_id: clientId, jti, cnf } = payload;
  if (typeof clientId !== "string") return null;
  const bound: Readonly<Record<string, unknown>> = typeof cnf === "object" && cnf !== null ? { ...cnf } : {};
  const { "x5t#S256": certificate = null, jkt: key = null } = bound;
  if (!isThumbprint(certificate) || !isThumbprint(key)) return null;
  return {
    client: { issuer, clientId },
    // The issuer's own id of the token, with which its log can be searched.
    tokenId: /^[\w.~-]{1,64}$/.test(jti ?? "") ? (jti ?? "") : tokenId(hash("sha256", token)),
    certificateSha256: certificate === null ? null : Buffer.from(certificate, "base64url").toString("hex"),
    keyThumbprint: key,
  };
}

function isThumbprint(value: unknown): value is string | null {
  return value === null || (typeof value === "string" && /^[\w-]{43}$/.test(value));
}

/** #3: jose judges claims only once the signature is good. */
function refuse(issuer: string, token: string, error: unknown): JudgedToken {
  if (error instanceof KeysAway) return { kind: "keys-away" };
  const isClaim = error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed;
  const signed = isClaim ? readSigned(issuer, error.payload, token) : null;
  if (signed === null) return { kind: "unknown" };
  const { client, tokenId: id } = signed;
  if (error instanceof errors.JWTExpired) return { kind: "refused", client, tokenId: id, reason: "token-expired" };
  const isAudience = error instanceof errors.JWTClaimValidationFailed && error.claim === "aud";
  return isAudience ? { kind: "refused", client, tokenId: id, reason: "wrong-audience" } : { kind: "unknown" };
}

function readIssuer(token: string): string | null {
  try {
    return decodeJwt(token).iss ?? null;
  } catch {
    return null;
  }
}

function indexIssuers(issuers: readonly TokenIssuer[]): ReadonlyMap<string, TokenIssuer> {
  return new Map(issuers.map((issuer) => [issuer.issuer, issuer]));
}
