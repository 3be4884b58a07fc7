// Builds what Sluice posts to a bank, with its headers and its signature, for the conformance kit. The bodies are those
// of the golden samples, each with a UETR of its own.

import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { deliveryBodies, eventBodies } from "@sluice/contracts/sample-bodies";

export interface SamplePost {
  readonly path: "/inbound/direct-debit" | "/events";
  readonly webhookId: string;
  readonly body: string;
  /** Headers that only events have. */
  readonly sequence: { readonly number: number; readonly previousId: string | null } | null;
}

const debitSample = "on-us-inbound-debit-released";
const eventSample = "event-full-on-us-received";
const sampleUetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";

export function buildDebit(): SamplePost {
  const uetr = randomUUID();
  return {
    path: "/inbound/direct-debit",
    webhookId: `${withoutHyphens(uetr)}D`,
    body: bodyOf("debit", uetr),
    sequence: null,
  };
}

/** The first events of one new transaction, numbered from 1. */
export function buildEvents(count: number): readonly SamplePost[] {
  const uetr = randomUUID();
  const sample = bodyOf("event", uetr);
  const ids = Array.from({ length: count }, () => randomBytes(16).toString("hex"));
  return ids.map((webhookId, index) => ({
    path: "/events",
    webhookId,
    body: sample.replace('"stageVersion":1', `"stageVersion":${index + 1}`),
    sequence: { number: index + 1, previousId: ids[index - 1] ?? null },
  }));
}

/** With one more member at its end, as a later minor version may have. */
export function withUnknownMember(post: SamplePost): SamplePost {
  return { ...post, body: post.body.replace(/\}\s*$/, ',"addedByALaterVersion":true}') };
}

/** All samples are rendered together, which takes long, so each is kept. */
const samples = new Map<"debit" | "event", string>();

function sampleText(kind: "debit" | "event"): string {
  const known = samples.get(kind);
  if (known !== undefined) return known;
  const [bodies, wanted] = kind === "debit" ? [deliveryBodies(), debitSample] : [eventBodies(), eventSample];
  const text = new TextDecoder().decode(bodies.find(({ name }) => name === wanted)?.body ?? new Uint8Array());
  samples.set(kind, text);
  return text;
}

function bodyOf(kind: "debit" | "event", uetr: string): string {
  return sampleText(kind).replaceAll(sampleUetr, uetr).replaceAll(withoutHyphens(sampleUetr), withoutHyphens(uetr));
}

function withoutHyphens(uetr: string): string {
  return uetr.replaceAll("-", "");
}

/** The signature of Standard Webhooks with a shared secret, `whsec_` and base64. */
export function signPost(secret: string, webhookId: string, timestampSeconds: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${webhookId}.${timestampSeconds}.${body}`).digest("base64")}`;
}
