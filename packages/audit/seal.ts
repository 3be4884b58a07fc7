// A seal signs the entries that were appended since the seal before it, in the order in which they lie in the topic.
// The seals are a chain too.
//
// #1 The signature covers everything that a seal says: its number, the seal before it, its time, its key, and the root
//    over its leaves. The leaves name each entry, so that a verifier can say which one is not as it was.

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { sha256Hex, type Records } from "@sluice/contracts";
import { Fault } from "@sluice/kernel";
import { merkleRoot } from "./merkle.ts";

export type AuditSeal = Records["AuditSeal"];
export type AuditLeaf = AuditSeal["leaves"][number];

/** Entries that one seal signs at most. */
export const leavesMax = 2_048;

export interface AuditKeys {
  /** Null: the keys can only verify. */
  readonly signer: { readonly keyId: string; readonly key: KeyObject } | null;
  /** Public keys by their ids. */
  readonly verifiers: ReadonlyMap<string, KeyObject>;
}

export interface SealPlace {
  readonly sequence: bigint;
  readonly previousSha256: string;
  readonly sealedAtMs: number;
}

export function signSeal(place: SealPlace, leaves: readonly AuditLeaf[], { keyId, key }: NonNullable<AuditKeys["signer"]>): AuditSeal {
  const unsigned = { ...place, leaves, root: rootOf(leaves), keyId, signature: "" };
  return { ...unsigned, signature: sign(null, Buffer.from(sealText(unsigned)), key).toString("base64") };
}

/** Hash of a seal, which the next one names. */
export function hashSeal(seal: AuditSeal): string {
  return sha256Hex(sealText(seal));
}

/** Says what is wrong with a seal in itself; null: it is as it was signed by a known key. */
export function findSealProblem(seal: AuditSeal, { verifiers }: AuditKeys): "unknown-key" | "signature" | "leaves" | null {
  const key = verifiers.get(seal.keyId);
  if (key === undefined) return "unknown-key";
  if (!verify(null, Buffer.from(sealText(seal)), key, Buffer.from(seal.signature, "base64"))) return "signature";
  return rootOf(seal.leaves) === seal.root ? null : "leaves";
}

/** #1 */
function sealText({ sequence, previousSha256, sealedAtMs, leaves, root, keyId }: AuditSeal): string {
  return JSON.stringify(["sluice-audit-seal-1", String(sequence), previousSha256, sealedAtMs, leaves.length, root, keyId]);
}

function rootOf(leaves: readonly AuditLeaf[]): string {
  return merkleRoot(leaves.map(({ chain, sequence, sha256 }) => JSON.stringify([chain, String(sequence), sha256])));
}

const keyIdDigits = 16;
const pemBlock = /-----BEGIN ([A-Z ]+)-----[\s\S]+?-----END \1-----/g;

/**
 * Reads a PEM file: at most one private key, which signs, and any public keys, which verify what earlier keys signed.
 * Throws a Fault without anything of the file in it.
 */
export function readAuditKeys(pem: string): AuditKeys {
  const verifiers = new Map<string, KeyObject>();
  const signers: NonNullable<AuditKeys["signer"]>[] = [];
  for (const [block, label = ""] of pem.matchAll(pemBlock)) {
    const isPrivate = label.endsWith("PRIVATE KEY");
    const key = readKey(block, isPrivate);
    const keyId = keyIdOf(key);
    verifiers.set(keyId, isPrivate ? createPublicKey(key) : key);
    if (isPrivate) signers.push({ keyId, key });
  }
  if (verifiers.size === 0) throw wrongKeys("no key is in it");
  if (signers.length > 1) throw wrongKeys("more than one private key is in it");
  return { signer: signers[0] ?? null, verifiers };
}

function readKey(block: string, isPrivate: boolean): KeyObject {
  let key: KeyObject;
  try {
    key = isPrivate ? createPrivateKey(block) : createPublicKey(block);
  } catch {
    throw wrongKeys("a key in it cannot be read");
  }
  if (key.asymmetricKeyType !== "ed25519") throw wrongKeys("a key in it is not an ed25519 key");
  return key;
}

function keyIdOf(key: KeyObject): string {
  const publicKey = key.type === "private" ? createPublicKey(key) : key;
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("hex")
    .slice(0, keyIdDigits);
}

function wrongKeys(why: string): Fault {
  return new Fault("audit.keys", `the file of audit keys is wrong: ${why}`, { isRetryable: false });
}
