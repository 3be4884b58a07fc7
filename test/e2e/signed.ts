// What Sluice sends to a bank that agreed on signing keys is held against the library that banks take (`packages/receiver`).

import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { readKeys, verify, type ReceiverKey } from "@sluice/receiver";
import type { RecordedRequest } from "@sluice/testkit";
import type { World } from "./world.ts";

const { privateKey } = generateKeyPairSync("ed25519");
/** The key itself lies at the end of both encodings. */
const lastBytes = (der: Buffer): string => der.subarray(-32).toString("base64");
const shared = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const publicHalf = `whpk_${lastBytes(createPublicKey(privateKey).export({ format: "der", type: "spki" }))}`;

/** What the bank's members refer to. */
export const signingReferences = {
  WORLD_SHARED_SECRET: shared,
  WORLD_PRIVATE_KEY: `whsk_${lastBytes(privateKey.export({ format: "der", type: "pkcs8" }))}`,
} as const;

export const signingKeys = [
  { kind: "symmetric", secret: "${WORLD_SHARED_SECRET}" },
  { kind: "ed25519", secret: "${WORLD_PRIVATE_KEY}" },
] as const;

/** How each request to the bank stands with each of its keys alone, at the moment that it came. */
export async function verdictsOf(world: World, bank: string): Promise<readonly string[]> {
  const read = await readKeys([shared, publicHalf]);
  if (!read.ok) throw new Error(read.reason);
  const received = world.recorded.requests.filter(({ entry }) => entry.kind === "received" && entry.bank === bank);
  return await Promise.all(received.flatMap((request) => read.keys.map((key) => verdictOf(request, key))));
}

async function verdictOf({ entry, headers, body }: RecordedRequest, key: ReceiverKey): Promise<string> {
  const verdict = await verify({ headers, body: new Uint8Array(body), keys: [key], nowMs: entry.atMs });
  if (!verdict.ok) return verdict.reason;
  return entry.kind === "received" && verdict.webhookId === entry.webhookId ? "verified" : "another-id";
}

/** Banks that were sent a signature. */
export function signedBanks(world: World): ReadonlySet<string> {
  return new Set(world.recorded.requests.filter(({ headers }) => "webhook-signature" in headers).map(({ entry }) => entry.bank));
}
