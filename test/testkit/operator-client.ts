// What a configuration says of the provider in `operator-provider.ts`. It is apart from it, because the provider's
// library is loaded only where a provider runs.

import { generateKeyPairSync } from "node:crypto";

/** `acr` of a person with a second factor. */
export const twoFactors = "urn:sluice:acr:two-factors";

/** A key with which a console proves itself, as PEM. */
export function createClientKey(): string {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "pem", type: "pkcs8" });
}
