// Verifies that a posting is from Sluice: Standard Webhooks, over `{webhook-id}.{webhook-timestamp}.{body}`.
//
// #1 No input makes it throw; a refusal has a reason and never repeats what was sent.
// #2 Web Crypto compares signatures in constant time. The numbers of signatures and keys are bounded, which bounds the
//    work.
// #3 The time is that of the attempt: a repeat after hours is signed again. A time outside the tolerance may be a
//    recording.
// #4 An id has no dot and a time is digits only, so the three parts cannot be cut differently.

import { decodeBase64 } from "./base64.ts";
import { readHeader, type HeaderSource } from "../read-header.ts";
import { keysMax, type ReceiverKey } from "./keys.ts";

export interface SignedRequest {
  readonly headers: HeaderSource;
  /** The bytes exactly as they were received. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly keys: readonly ReceiverKey[];
  readonly nowMs: number;
  /** How far the attempt's time may be from now, before or after; 5 minutes by default. */
  readonly toleranceMs?: number;
}

export type SignatureRefusal = "no-id" | "no-time" | "too-old" | "too-new" | "no-signature" | "too-many-signatures" | "no-match";

export type VerifyResult =
  /** `key` is the index of the key that fitted, from 0. */
  | { readonly ok: true; readonly webhookId: string; readonly sentAtMs: number; readonly key: number }
  | { readonly ok: false; readonly reason: SignatureRefusal };

const toleranceDefaultMs = 5 * 60_000;
const signaturesMax = 16;
const signatureHeaderMax = 4_096;
const versions = { symmetric: "v1", ed25519: "v1a" } as const;
const signatureBytes = { symmetric: 32, ed25519: 64 } as const;
const idPattern = /^[\x21-\x2d\x2f-\x7e]{1,128}$/;

export async function verify({ headers, body, keys, nowMs, toleranceMs = toleranceDefaultMs }: SignedRequest): Promise<VerifyResult> {
  const webhookId = readHeader(headers, "webhook-id");
  if (webhookId === null || !idPattern.test(webhookId)) return refused("no-id");
  const timestamp = readHeader(headers, "webhook-timestamp");
  if (timestamp === null || !/^[0-9]{1,12}$/.test(timestamp)) return refused("no-time");
  const sentAtMs = Number(timestamp) * 1_000;
  if (sentAtMs < nowMs - toleranceMs) return refused("too-old");
  if (sentAtMs > nowMs + toleranceMs) return refused("too-new");
  const signatures = readHeader(headers, "webhook-signature");
  if (signatures === null || signatures === "") return refused("no-signature");
  const listed = signatures.length > signatureHeaderMax ? [] : signatures.split(" ");
  if (listed.length === 0 || listed.length > signaturesMax) return refused("too-many-signatures");
  const content = signedContent(webhookId, timestamp, body);
  for (const [index, key] of keys.slice(0, keysMax).entries()) {
    if (await fitsOne(key, listed, content)) return { ok: true, webhookId, sentAtMs, key: index };
  }
  return refused("no-match");
}

async function fitsOne({ kind, key }: ReceiverKey, listed: readonly string[], content: Uint8Array<ArrayBuffer>): Promise<boolean> {
  for (const one of listed) {
    const comma = one.indexOf(",");
    if (one.slice(0, comma) !== versions[kind]) continue;
    const signature = decodeBase64(one.slice(comma + 1));
    if (signature?.length !== signatureBytes[kind]) continue;
    if (await crypto.subtle.verify(kind === "symmetric" ? "HMAC" : "Ed25519", key, signature, content)) return true;
  }
  return false;
}

function signedContent(webhookId: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${webhookId}.${timestamp}.`);
  const content = new Uint8Array(head.length + body.length);
  content.set(head);
  content.set(body, head.length);
  return content;
}

function refused(reason: SignatureRefusal): VerifyResult {
  return { ok: false, reason };
}
