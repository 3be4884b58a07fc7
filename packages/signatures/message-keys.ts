// The public keys of callers, ready to verify with.

import { constants, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { MessageKey, SignatureAlgorithm } from "@sluice/kernel";
import { findSignatureAlgorithm } from "@sluice/kernel/signature-key";
import type { OwnKey } from "./signing-key.ts";

export interface KnownKey {
  readonly id: string;
  readonly algorithm: SignatureAlgorithm;
  readonly notAfterMs: number | null;
  readonly key: KeyObject;
}

/** The keys by their ids. One that cannot be read is left out: the configuration has refused it. */
export type KnownKeys = ReadonlyMap<string, KnownKey>;

export function openMessageKeys(keys: readonly MessageKey[]): KnownKeys {
  return new Map(
    keys.flatMap(({ id, publicKey, notAfterMs }) => {
      const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });
      const algorithm = findSignatureAlgorithm(key);
      return algorithm === null ? [] : [[id, { id, algorithm, notAfterMs, key }]];
    }),
  );
}

const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 } as const;

export function signText({ algorithm, key }: OwnKey, text: string): Uint8Array {
  const bytes = Buffer.from(text);
  if (algorithm === "ed25519") return sign(null, bytes, key);
  if (algorithm === "rsa-pss-sha512") return sign("sha512", bytes, { key, ...pss });
  return sign("sha256", bytes, { key, dsaEncoding: "ieee-p1363" });
}

export function isSignatureOf({ algorithm, key }: KnownKey, text: string, signature: Uint8Array): boolean {
  const bytes = Buffer.from(text);
  if (algorithm === "ed25519") return verify(null, bytes, key, signature);
  if (algorithm === "rsa-pss-sha512") return verify("sha512", bytes, { key, ...pss }, signature);
  return verify("sha256", bytes, { key, dsaEncoding: "ieee-p1363" }, signature);
}
