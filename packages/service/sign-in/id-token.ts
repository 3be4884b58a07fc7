// Judges the ID token of a sign-in (OpenID Connect Core, section 3.1.3.7).
//
// #1 Algorithms are those of the configuration, and never what the token says.
// #2 It is for us alone: `aud` names us, and `azp` does where it is there or `aud` names others too.
// #3 It belongs to this sign-in: `nonce` is the one that was made for it.
// #4 A person signed in as the configuration asks for, by `acr`; else a stolen password were enough.

import type { SignInProvider } from "@sluice/kernel";
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";

interface ProvenPerson {
  readonly subject: string;
  readonly acr: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

export type JudgedPerson =
  | ({ readonly ok: true } & ProvenPerson)
  /** `subject` is known once the token is good but for `acr`. */
  | { readonly ok: false; readonly reason: "token-refused" | "acr-refused"; readonly subject: string | null };

export interface IdTokenExpectation {
  readonly provider: Pick<SignInProvider, "issuer" | "clientId" | "algorithms" | "acrValues">;
  readonly nonce: string;
  readonly nowMs: number;
}

/** Seconds by which the provider's clock may differ from ours. */
const clockSkewMaxS = 30;
/** Seconds since the token was made: it comes straight from the provider. */
const ageMaxS = 300;
const tokenCharactersMax = 16_384;
const refused: JudgedPerson = { ok: false, reason: "token-refused", subject: null };

/** Rejects where the provider's keys are not known (`KeysAway`). */
export async function judgeIdToken(token: string, key: JWTVerifyGetKey, expected: IdTokenExpectation): Promise<JudgedPerson> {
  const { provider, nonce, nowMs } = expected;
  if (token.length > tokenCharactersMax) return refused;
  let payload: JWTPayload;
  try {
    ({ payload } = await jwtVerify(token, key, {
      issuer: provider.issuer,
      audience: provider.clientId,
      algorithms: [...provider.algorithms],
      currentDate: new Date(nowMs),
      clockTolerance: clockSkewMaxS,
      maxTokenAge: ageMaxS,
      requiredClaims: ["exp", "iat", "sub", "nonce"],
    }));
  } catch (error) {
    if (error instanceof errors.JOSEError) return refused;
    throw error;
  }
  const { sub: subject, acr } = payload;
  if (!isForUs(payload, provider.clientId) || payload["nonce"] !== nonce) return refused;
  if (subject === undefined || !/^[\x21-\x7e]{1,255}$/.test(subject)) return refused;
  // #4
  if (typeof acr !== "string" || !provider.acrValues.includes(acr)) return { ok: false, reason: "acr-refused", subject };
  return { ok: true, subject, acr, claims: payload };
}

/** #2 */
function isForUs({ aud, azp }: JWTPayload, clientId: string): boolean {
  return azp === undefined ? !Array.isArray(aud) || aud.length === 1 : azp === clientId;
}
