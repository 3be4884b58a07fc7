// Signatures as Standard Webhooks has them, over `{webhook-id}.{webhook-timestamp}.{body}`: `v1,` with a shared secret (HMAC-SHA-256), `v1a,`
// with a private key (ed25519). Pure.
//
// #1 Every key signs, and the signatures stand beside each other: while one key replaces another a receiver may know either.
// #2 A secret leaves this file only as a signature: what cannot be read is null, never an error with its text.

import { createHmac, createPrivateKey, createSecretKey, sign } from "node:crypto";
import { signingSecretBytes, type SigningKey } from "@sluice/config";

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
  const bytes = signingSecretBytes(kind, secret);
  if (bytes === null) return null;
  return kind === "symmetric" ? symmetricSigner(bytes) : ed25519Signer(bytes);
}

function symmetricSigner(bytes: Buffer): Signer {
  const key = createSecretKey(bytes);
  return ({ id, timestamp, body }) => `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

function ed25519Signer(der: Buffer): Signer {
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  return ({ id, timestamp, body }) => {
    const signature = sign(null, Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]), key);
    return `v1a,${signature.toString("base64")}`;
  };
}
