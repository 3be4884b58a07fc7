// The console's keys, as files that only their owner can read: the one that seals the audit, and the one that signs
// operators' records.

import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { upDirectory } from "../local/up-state.ts";

/** The keys of what `up` starts; each is made once, and kept. */
export const auditKeyFile = join(upDirectory, "audit-key.pem");
export const operatorKeyFile = join(upDirectory, "operator-key.pem");

/** Writes a new key, and fails where the file exists. Returns the public key as PEM. */
export function writeAuditKey(path: string): string {
  const { privateKey } = generateKeyPairSync("ed25519");
  writeFileSync(path, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx" });
  return createPublicKey(privateKey).export({ type: "spki", format: "pem" });
}

export function ensureKey(path: string): string {
  if (!existsSync(path)) writeAuditKey(path);
  return path;
}
