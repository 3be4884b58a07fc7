// Signatures as Standard Webhooks has them, by Node's own cryptography: what the tests sign with is not what verifies.

import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";

export const nowMs = 1_795_312_800_000;
export const uetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";

export interface Signer {
  /** What the receiver holds. */
  readonly key: string;
  signature(content: Uint8Array): string;
}

export function symmetric(fill: number, bytes = 32): Signer {
  const secret = Buffer.alloc(bytes, fill);
  return {
    key: `whsec_${secret.toString("base64")}`,
    signature: (content) => `v1,${createHmac("sha256", secret).update(content).digest("base64")}`,
  };
}

export function ed25519(): Signer {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pkcs8 = privateKey.export({ format: "der", type: "pkcs8" });
  const raw = createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(-32);
  const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  return { key: `whpk_${raw.toString("base64")}`, signature: (content) => `v1a,${sign(null, content, key).toString("base64")}` };
}

export interface Posting {
  readonly webhookId: string;
  readonly atMs: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

export const posting: Posting = { webhookId: "6f4b2f0e6f0a4d529a571f0f5d0c2b11D", atMs: nowMs, body: bytes('{"value":1250.50}') };

export function headersOf({ webhookId, atMs, body }: Posting, signers: readonly Signer[]): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const content = Buffer.concat([Buffer.from(`${webhookId}.${timestamp}.`), body]);
  return {
    "webhook-id": webhookId,
    "webhook-timestamp": timestamp,
    "webhook-signature": signers.map((signer) => signer.signature(content)).join(" "),
  };
}

export function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** As it is posted, with an amount whose digits count. */
export function eventText(sequence: number, of = uetr): string {
  return `{"class":"TRANSACTION_STATE","stageVersion":${sequence},"tranInfo":{"tranUetr":"${of.toUpperCase()}"},"value":1250.50}`;
}

export function eventId(sequence: number): string {
  return `event-${sequence}`;
}

export function placeHeaders(sequence: number): Record<string, string> {
  return { "sluice-sequence": String(sequence), ...(sequence === 1 ? {} : { "sluice-previous-id": eventId(sequence - 1) }) };
}
