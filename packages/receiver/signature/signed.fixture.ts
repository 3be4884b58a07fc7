// Test fixture: signatures by Standard Webhooks with Node's own cryptography, so that the tests do not sign with the
// code that verifies.

import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";

export const signedAtMs = 1_795_312_800_000;
export const signedUetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";

export interface TestSigner {
  /** The key that the receiver holds. */
  readonly key: string;
  signature(content: Uint8Array): string;
}

export function symmetricSigner(fill: number, bytes = 32): TestSigner {
  const secret = Buffer.alloc(bytes, fill);
  return {
    key: `whsec_${secret.toString("base64")}`,
    signature: (content) => `v1,${createHmac("sha256", secret).update(content).digest("base64")}`,
  };
}

export function ed25519Signer(): TestSigner {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pkcs8 = privateKey.export({ format: "der", type: "pkcs8" });
  const raw = createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(-32);
  const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  return { key: `whpk_${raw.toString("base64")}`, signature: (content) => `v1a,${sign(null, content, key).toString("base64")}` };
}

export interface SignedPosting {
  readonly webhookId: string;
  readonly atMs: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

export const signedPosting: SignedPosting = {
  webhookId: "6f4b2f0e6f0a4d529a571f0f5d0c2b11D",
  atMs: signedAtMs,
  body: utf8('{"value":1250.50}'),
};

export function signedHeaders({ webhookId, atMs, body }: SignedPosting, signers: readonly TestSigner[]): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const content = Buffer.concat([Buffer.from(`${webhookId}.${timestamp}.`), body]);
  return {
    "webhook-id": webhookId,
    "webhook-timestamp": timestamp,
    "webhook-signature": signers.map((signer) => signer.signature(content)).join(" "),
  };
}

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** An event as it is posted, with an amount whose digits matter. */
export function eventBody(sequence: number, of = signedUetr): string {
  return `{"class":"TRANSACTION_STATE","stageVersion":${sequence},"tranInfo":{"tranUetr":"${of.toUpperCase()}"},"value":1250.50}`;
}

export function eventWebhookId(sequence: number): string {
  return `event-${sequence}`;
}

export function placeHeaders(sequence: number): Record<string, string> {
  return { "sluice-sequence": String(sequence), ...(sequence === 1 ? {} : { "sluice-previous-id": eventWebhookId(sequence - 1) }) };
}
