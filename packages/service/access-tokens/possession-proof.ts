// Judges a proof that the sender of an access token has the key that the token is bound to (DPoP, RFC 9449).
//
// #1 A proof is for one method and one address. Which address is ours says the setting of public origins, and not the
//    request: its host is chosen by who sends it. Without the setting the request's own address counts.
// #2 A proof counts for `proofLifeMs` from its time on, and a clock ahead of ours by `clockToleranceS` is forgiven.
// #3 Its key is the one that it carries: it proves something only if the token names the same key.

import { hash } from "node:crypto";
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from "jose";
import type { TokenAlgorithm } from "@sluice/kernel";

export interface ProvenRequest {
  readonly method: string;
  readonly url: string;
  /** The access token of the request. */
  readonly token: string;
  /** SHA-256 thumbprint of the key (RFC 7638) that the token is bound to. */
  readonly thumbprint: string;
}

export interface ProofRules {
  readonly algorithms: readonly TokenAlgorithm[];
  /** Origins under which callers reach us; none: no proof counts. */
  readonly origins: readonly string[];
  readonly nowMs: number;
}

/** #2 */
const proofLifeS = 30;
export const clockToleranceS = 5;
export const proofLifeMs = (proofLifeS + 2 * clockToleranceS) * 1_000;
const proofCharactersMax = 4_096;
const idCharactersMax = 256;

/** Returns the id of the proof; null: it proves nothing. */
export async function readProof(proof: string, request: ProvenRequest, { algorithms, origins, nowMs }: ProofRules): Promise<string | null> {
  if (proof.length > proofCharactersMax) return null;
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      algorithms: [...algorithms],
      typ: "dpop+jwt",
      currentDate: new Date(nowMs),
      maxTokenAge: proofLifeS,
      clockTolerance: clockToleranceS,
      requiredClaims: ["jti", "htm", "htu", "iat", "ath"],
    });
    const { jti, htm, htu, ath } = payload;
    const isOurs = htm === request.method && typeof htu === "string" && isSameAddress(htu, request.url, origins);
    const isBound =
      ath === hash("sha256", request.token, "base64url") &&
      (await calculateJwkThumbprint(protectedHeader.jwk ?? {})) === request.thumbprint;
    return isOurs && isBound && typeof jti === "string" && jti.length <= idCharactersMax ? jti : null;
  } catch {
    return null;
  }
}

/** #1. Query and fragment have no part in it. */
function isSameAddress(given: string, asked: string, origins: readonly string[]): boolean {
  const [claimed, own] = [URL.parse(given), URL.parse(asked)];
  if (claimed === null || own === null || claimed.pathname !== own.pathname) return false;
  return origins.includes(claimed.origin);
}
