// Verifies Sluice's requests to a bank with signing keys, by the library that banks use (`packages/receiver`).

import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { readKeys, verify, type ReceiverKey } from "@sluice/receiver";
import type { RecordedRequest } from "@sluice/testkit";
import type { E2eEnvironment } from "./environment.ts";

const { privateKey } = generateKeyPairSync("ed25519");
/** Returns the last 32 bytes, which are the key itself in both encodings. */
const lastBytes = (der: Buffer): string => der.subarray(-32).toString("base64");
const shared = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const publicHalf = `whpk_${lastBytes(createPublicKey(privateKey).export({ format: "der", type: "spki" }))}`;

/** The environment variables to which the bank's members refer. */
export const signingReferences = {
  SAMPLE_SHARED_SECRET: shared,
  SAMPLE_PRIVATE_KEY: `whsk_${lastBytes(privateKey.export({ format: "der", type: "pkcs8" }))}`,
} as const;

export const signingKeys = [
  { kind: "symmetric", secret: "${SAMPLE_SHARED_SECRET}" },
  { kind: "ed25519", secret: "${SAMPLE_PRIVATE_KEY}" },
] as const;

/** Verifies each request to the bank by each of its keys alone, at the time of its receipt. */
export async function verifyRequests(environment: E2eEnvironment, bank: string): Promise<readonly string[]> {
  const read = await readKeys([shared, publicHalf]);
  if (!read.ok) throw new Error(read.reason);
  const received = environment.recorded.requests.filter(({ entry }) => entry.kind === "received" && entry.bank === bank);
  return await Promise.all(received.flatMap((request) => read.keys.map((key) => verifyRequest(request, key))));
}

async function verifyRequest({ entry, headers, body }: RecordedRequest, key: ReceiverKey): Promise<string> {
  const verdict = await verify({ headers, body: new Uint8Array(body), keys: [key], nowMs: entry.atMs });
  if (!verdict.ok) return verdict.reason;
  return entry.kind === "received" && verdict.webhookId === entry.webhookId ? "verified" : "another-id";
}

/** Returns the receivers whose requests have a signature. */
export function findSignedReceivers(environment: E2eEnvironment): ReadonlySet<string> {
  return new Set(environment.recorded.requests.filter(({ headers }) => "webhook-signature" in headers).map(({ entry }) => entry.bank));
}
