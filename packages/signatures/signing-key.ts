// Our own key of message signatures, from a PEM file that is read again when it changes.
//
// #1 Without a name of its own the key is named by its thumbprint, so that a file with another key has another name.

import { createPrivateKey, createPublicKey, hash, type KeyObject } from "node:crypto";
import { SecretProblem, type SecretFiles } from "@sluice/connection";
import type { SignatureAlgorithm } from "@sluice/kernel";
import { findSignatureAlgorithm } from "@sluice/kernel/signature-key";

export interface SigningKeySettings {
  readonly keyFile: string;
  /** `keyid` of the signatures; null: the thumbprint of the key. */
  readonly keyId: string | null;
}

export interface OwnKey {
  readonly id: string;
  readonly algorithm: SignatureAlgorithm;
  readonly key: KeyObject;
}

/** Returns a function for the newest key; null while the file was never read. */
export function watchSigningKey<O>(files: SecretFiles<O>, owner: O, { keyFile, keyId }: SigningKeySettings): () => OwnKey | null {
  return files.watch({ owner, paths: [keyFile], make: ([content]) => readSigningKey(String(content), keyId) });
}

/** Throws where the text is no private key that can sign messages. */
export function readSigningKey(pem: string, keyId: string | null = null): OwnKey {
  const key = readPrivateKey(pem);
  const algorithm = key === null ? null : findSignatureAlgorithm(key);
  if (key === null || algorithm === null) throw new SecretProblem("no-signing-key");
  return { id: keyId ?? thumbprint(key), algorithm, key };
}

/** The error of OpenSSL may repeat a part of the file. */
function readPrivateKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}

/** #1: SHA-256 of the public key as a JWK (RFC 7638). */
function thumbprint(key: KeyObject): string {
  const { crv, e, kty, n, x, y } = createPublicKey(key).export({ format: "jwk" });
  return hash("sha256", JSON.stringify({ crv, e, kty, n, x, y }), "base64url");
}
