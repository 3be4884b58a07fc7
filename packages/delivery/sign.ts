// Signatures as Standard Webhooks has them, over `{webhook-id}.{webhook-timestamp}.{body}`: `v1,` with a shared secret (HMAC-SHA-256), `v1a,`
// with a private key (ed25519). Pure.
//
// #1 Every key signs, and the signatures stand beside each other: while one key replaces another a receiver may know either.
// #2 A secret leaves this file only as a signature: what cannot be read is null, never an error with its text.

import { createHmac, createPrivateKey, createPublicKey, createSecretKey, sign, type KeyObject } from "node:crypto";
import type { SigningKey } from "@sluice/config";

export interface Signed {
  readonly id: string;
  /** Seconds, as the header has it. */
  readonly timestamp: string;
  readonly body: Uint8Array;
}

/** One signature with its version. */
export type Signer = (signed: Signed) => string;

/** Value of `webhook-signature`. */
export function signatures(signers: readonly Signer[], signed: Signed): string {
  return signers.map((signer) => signer(signed)).join(" ");
}

/** Null: no secret of that kind. */
export function signerOf(kind: SigningKey["kind"], secret: string): Signer | null {
  return kind === "symmetric" ? symmetricSigner(secret) : ed25519Signer(secret);
}

const symmetricPrefix = "whsec_";
const symmetricBytes = { min: 24, max: 64 } as const;

function symmetricSigner(secret: string): Signer | null {
  const bytes = bytesAfter(symmetricPrefix, secret);
  if (bytes === null || bytes.byteLength < symmetricBytes.min || bytes.byteLength > symmetricBytes.max) return null;
  const key = createSecretKey(bytes);
  return ({ id, timestamp, body }) => `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

const ed25519Prefix = "whsk_";
const ed25519Bytes = 32;
/** PKCS #8 in DER, up to the 32 bytes of the key (RFC 8410). */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");

function ed25519Signer(secret: string): Signer | null {
  const bytes = bytesAfter(ed25519Prefix, secret);
  const privateHalf = bytes?.subarray(0, ed25519Bytes);
  const publicHalf = bytes?.subarray(ed25519Bytes) ?? Buffer.alloc(0);
  if (privateHalf?.byteLength !== ed25519Bytes) return null;
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Head, privateHalf]), format: "der", type: "pkcs8" });
  // Many tools write the public half behind the private one: a file that was cut or mixed up shows there.
  if (publicHalf.byteLength > 0 && !publicHalf.equals(publicHalfOf(key))) return null;
  return ({ id, timestamp, body }) => {
    const signature = sign(null, Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]), key);
    return `v1a,${signature.toString("base64")}`;
  };
}

function publicHalfOf(key: KeyObject): Buffer {
  return createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-ed25519Bytes);
}

/** Null where the prefix is another, or the rest is no base64. */
function bytesAfter(prefix: string, secret: string): Buffer | null {
  if (!secret.startsWith(prefix)) return null;
  const encoded = secret.slice(prefix.length);
  const bytes = Buffer.from(encoded, "base64");
  return bytes.toString("base64").replace(/=+$/, "") === encoded.replace(/=+$/, "") ? bytes : null;
}
