// Proves the console to the provider's token endpoint: `private_key_jwt` (RFC 7523, OpenID Connect Core, section 9).
//
// #1 The audience is the issuer alone, as FAPI 2 has it: an assertion for one provider is of no use at another.
// #2 An error of OpenSSL may repeat a part of the key file, so none is passed on.

import { createPrivateKey, type KeyObject } from "node:crypto";
import type { Random, SignInProvider, Time } from "@sluice/kernel";
import { findSignatureAlgorithm, type SignatureAlgorithm } from "@sluice/kernel/signature-key";
import { SignJWT } from "jose";
import { ProviderProblem } from "./provider-answers.ts";

const algorithms: Readonly<Record<SignatureAlgorithm, string>> = {
  ed25519: "EdDSA",
  "ecdsa-p256-sha256": "ES256",
  "rsa-pss-sha512": "PS256",
};
const lifeS = 60;

export async function makeClientAssertion(
  { issuer, clientId, keyId }: Pick<SignInProvider, "issuer" | "clientId" | "keyId">,
  pem: string,
  { time, random }: { readonly time: Pick<Time, "nowMs">; readonly random: Random },
): Promise<Readonly<Record<string, string>>> {
  const key = readKey(pem);
  const algorithm = key === null ? null : findSignatureAlgorithm(key);
  if (key === null || algorithm === null) throw new ProviderProblem("keyFile has no private key that can sign");
  const nowS = Math.floor(time.nowMs() / 1_000);
  const assertion = await new SignJWT()
    .setProtectedHeader({ alg: algorithms[algorithm], ...(keyId === null ? {} : { kid: keyId }) })
    .setIssuer(clientId)
    .setSubject(clientId)
    // #1
    .setAudience(issuer)
    .setJti(random.hex(16))
    .setIssuedAt(nowS)
    .setExpirationTime(nowS + lifeS)
    .sign(key);
  return { client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", client_assertion: assertion };
}

/** #2 */
function readKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}
