// Seals bytes with AES-256-GCM. The nonce is made of the content, so that the same content under the same associated
// data is sealed to the same bytes: a replay produces what was produced before (I3).
//
// #1 The nonce is the first 96 bits of HMAC-SHA-256 over the associated data, its length and the content, under a key
//    of its own. So a nonce comes twice only with the same bytes, or by chance: 2^-33 for 2^32 records of one data key.
// #2 Encryption, nonce and search have different keys, derived from the secret by HKDF.
// #3 Equal records show as equal. They are repeats of one record under one id, which the id shows too.

import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";

export interface CipherKeys {
  readonly encryption: KeyObject;
  readonly nonce: KeyObject;
}

const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;
const termCharacters = 22;

/** #2 */
export function deriveKey(secret: Uint8Array, use: "encryption" | "nonce" | "search"): KeyObject {
  return createSecretKey(new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(), `sluice ${use} 1`, keyBytes)));
}

export function deriveSealKeys(secret: Uint8Array): CipherKeys {
  return { encryption: deriveKey(secret, "encryption"), nonce: deriveKey(secret, "nonce") };
}

/** Returns the nonce, and the ciphertext with its tag. */
export function sealBytes(keys: CipherKeys, associated: Uint8Array, content: Uint8Array) {
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(associated.length));
  const nonce = createHmac("sha256", keys.nonce).update(length).update(associated).update(content).digest().subarray(0, nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", keys.encryption, nonce);
  cipher.setAAD(associated);
  const sealed = Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  return { nonce, sealed };
}

/** Returns the content; null where the bytes, the associated data or the key are not those that sealed it. */
export function openBytes(keys: CipherKeys, associated: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): Uint8Array | null {
  if (nonce.length !== nonceBytes || sealed.length < tagBytes) return null;
  const decipher = createDecipheriv("aes-256-gcm", keys.encryption, nonce, { authTagLength: tagBytes });
  decipher.setAAD(associated);
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  const content = decipher.update(sealed.subarray(0, sealed.length - tagBytes));
  try {
    decipher.final();
  } catch {
    return null;
  }
  return content;
}

/** Hashes a text under a search key: equal texts of one scope are found, and nobody without the key can try texts. */
export function hashTerm(key: KeyObject, text: string): string {
  return `#${createHmac("sha256", key).update(text).digest("base64url").slice(0, termCharacters)}`;
}
