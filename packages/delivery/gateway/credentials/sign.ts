// Signs as Standard Webhooks does, over `{webhook-id}.{webhook-timestamp}.{body}`: `v1,` with a shared secret
// (HMAC-SHA-256), `v1a,` with a private key (ed25519). Pure.
//
// #1 Every key signs, and the header lists all signatures: while one key replaces another, a receiver may know either.
// #2 A secret leaves this file only as a signature: a secret that cannot be read gives null, never an error with its
//    text.

import { createHmac, createPrivateKey, createSecretKey, sign } from "node:crypto";
import { readSigningSecret, type SigningKey } from "@sluice/config";

export interface SignedContent {
  readonly id: string;
  /** Seconds since the epoch, as the header has them. */
  readonly timestamp: string;
  readonly body: Uint8Array;
}

/** Makes one signature with its version. */
export type WebhookSigner = (signed: SignedContent) => string;

/** The value of `webhook-signature`. */
export function signatureHeader(signers: readonly WebhookSigner[], signed: SignedContent): string {
  return signers.map((signer) => signer(signed)).join(" ");
}

/** Null where the text is no secret of that kind. */
export function createSigner(kind: SigningKey["kind"], secret: string): WebhookSigner | null {
  const bytes = readSigningSecret(kind, secret);
  if (bytes === null) return null;
  return kind === "symmetric" ? symmetricSigner(bytes) : ed25519Signer(bytes);
}

function symmetricSigner(bytes: Buffer): WebhookSigner {
  const key = createSecretKey(bytes);
  return ({ id, timestamp, body }) => `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

function ed25519Signer(der: Buffer): WebhookSigner {
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  return ({ id, timestamp, body }) => {
    const signature = sign(null, Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]), key);
    return `v1a,${signature.toString("base64")}`;
  };
}
