// Reads signing secrets in the form of Standard Webhooks, in base64: `whsec_` and a shared secret, or `whsk_` and an
// ed25519 private key. Pure.
//
// #1 A secret that cannot be read gives null, never an error with its text.
// #2 Many tools write the public half of an ed25519 key after the private one. Comparing them reveals a secret that was
//    cut or mixed up.

import { createPrivateKey, createPublicKey } from "node:crypto";
import type { SigningKey } from "../configuration.ts";

const prefixes = { symmetric: "whsec_", ed25519: "whsk_" } as const;
const sharedBytes = { min: 24, max: 64 } as const;
const halfBytes = 32;
/** The head of PKCS #8 in DER, up to the 32 bytes of the key (RFC 8410). */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");

export const signingSecretForms = {
  symmetric: "whsec_ and 24 to 64 bytes in base64",
  ed25519: "whsk_ and an ed25519 key in base64: 32 bytes, or 64 with its public half behind",
} as const;

/** Returns the shared secret, or the ed25519 private key as PKCS #8 in DER; null if it is no secret of that kind. */
export function readSigningSecret(kind: SigningKey["kind"], secret: string): Buffer | null {
  const bytes = decodeAfter(prefixes[kind], secret);
  if (bytes === null) return null;
  if (kind === "ed25519") return readPrivateKey(bytes);
  return bytes.byteLength >= sharedBytes.min && bytes.byteLength <= sharedBytes.max ? bytes : null;
}

/** #2 */
function readPrivateKey(bytes: Buffer): Buffer | null {
  if (bytes.byteLength !== halfBytes && bytes.byteLength !== 2 * halfBytes) return null;
  const der = Buffer.concat([pkcs8Head, bytes.subarray(0, halfBytes)]);
  const publicHalf = bytes.subarray(halfBytes);
  return publicHalf.byteLength === 0 || publicHalf.equals(derivePublicHalf(der)) ? der : null;
}

function derivePublicHalf(der: Buffer): Buffer {
  const key = createPublicKey(createPrivateKey({ key: der, format: "der", type: "pkcs8" }));
  return key.export({ format: "der", type: "spki" }).subarray(-halfBytes);
}

/** Returns the bytes after the prefix; null if the prefix is another or the rest is not base64. */
function decodeAfter(prefix: string, secret: string): Buffer | null {
  if (!secret.startsWith(prefix)) return null;
  const encoded = secret.slice(prefix.length);
  const bytes = Buffer.from(encoded, "base64");
  return bytes.toString("base64").replace(/=+$/, "") === encoded.replace(/=+$/, "") ? bytes : null;
}
