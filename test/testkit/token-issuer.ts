// An authorization server as far as its tokens go: keys, tokens, and proofs of a caller's key.

import { hash, type KeyObject, randomUUID } from "node:crypto";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type GenerateKeyPairResult, type JWK, SignJWT } from "jose";

export interface TestIssuer {
  readonly issuer: string;
  /** Its key set, as text. */
  readonly keySet: string;
  /** Signs a token; a claim that is undefined is left out. */
  issue(claims?: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

export const tokenAudience = "https://sluice.example";

export async function createTestIssuer(nowMs: () => number, issuer = "https://login.example", kid = "one"): Promise<TestIssuer> {
  const keys = await generateKeyPair("ES256");
  const jwk = { ...(await exportJWK(keys.publicKey)), kid, use: "sig" };
  return {
    issuer,
    keySet: JSON.stringify({ keys: [jwk] }),
    async issue(claims = {}, header = {}) {
      const nowS = Math.floor(nowMs() / 1_000);
      const usual = { iss: issuer, aud: tokenAudience, sub: "own", client_id: "own", iat: nowS, exp: nowS + 300, jti: randomUUID() };
      const given = Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== undefined);
      return await new SignJWT(Object.fromEntries(given))
        .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid, ...header })
        .sign(keys.privateKey);
    },
  };
}

/** A key of a caller, with which it proves that a token is its own. */
export interface ProofKey {
  readonly thumbprint: string;
  prove(request: ProofRequest, changed?: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

interface ProofRequest {
  readonly method: string;
  readonly url: string;
  readonly token: string;
}

export async function createProofKey(nowMs: () => number): Promise<ProofKey> {
  const keys: GenerateKeyPairResult = await generateKeyPair("EdDSA");
  const jwk: JWK = await exportJWK(keys.publicKey);
  return {
    thumbprint: await calculateJwkThumbprint(jwk),
    async prove({ method, url, token }, changed = {}, header = {}) {
      const usual = { htm: method, htu: url, iat: Math.floor(nowMs() / 1_000), jti: randomUUID(), ath: hash("sha256", token, "base64url") };
      const given = Object.entries({ ...usual, ...changed }).filter(([, value]) => value !== undefined);
      return await new SignJWT(Object.fromEntries(given))
        .setProtectedHeader({ alg: "EdDSA", typ: "dpop+jwt", jwk, ...header })
        .sign(keys.privateKey);
    },
  };
}

/** Signs anything with a shared secret, as somebody would who takes the public key's text for one. */
export async function signWithSecret(claims: Readonly<Record<string, unknown>>, secret: Uint8Array | KeyObject): Promise<string> {
  return await new SignJWT({ ...claims }).setProtectedHeader({ alg: "HS256", typ: "at+jwt", kid: "one" }).sign(secret);
}

/** The same content with another head, and the signature left or taken away. */
export function withHead(token: string, head: Readonly<Record<string, unknown>>, signature = ""): string {
  const [, content = ""] = token.split(".");
  return `${Buffer.from(JSON.stringify(head)).toString("base64url")}.${content}.${signature}`;
}
