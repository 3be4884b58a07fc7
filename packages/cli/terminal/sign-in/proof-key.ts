// The key that tokens of a command line are bound to, and its proofs (DPoP, RFC 9449). Who reads a token on its way has
// nothing without the key.

import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, randomUUID, sign } from "node:crypto";

/** What a proof is for. */
interface ProvenCall {
  readonly method: string;
  readonly url: string;
  /** The access token that is sent; null: one is asked for. */
  readonly token: string | null;
  /** What the server gave to be in the next proof; null: nothing. */
  readonly nonce: string | null;
}

/** Returns a new key in PEM. */
export function createProofKeyPem(): string {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "pem", type: "pkcs8" });
}

export function makeProof(keyPem: string, { method, url, token, nonce }: ProvenCall, nowMs: number): string {
  const key = createPrivateKey(keyPem);
  const { kty, crv, x, y } = createPublicKey(key).export({ format: "jwk" });
  const head = { typ: "dpop+jwt", alg: "ES256", jwk: { kty, crv, x, y } };
  const address = new URL(url);
  const claims = {
    jti: randomUUID(),
    htm: method,
    htu: `${address.origin}${address.pathname}`,
    iat: Math.floor(nowMs / 1_000),
    ...(token === null ? {} : { ath: hash("sha256", token, "base64url") }),
    ...(nonce === null ? {} : { nonce }),
  };
  const text = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${text}.${sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}
