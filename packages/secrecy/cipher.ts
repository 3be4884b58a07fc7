// Seals bytes with AES-256-GCM. The nonce is made of the content, so that the same content under the same associated
// data is sealed to the same bytes: a replay produces what was produced before (I3).
//
// #1 The nonce is the first 96 bits of HMAC-SHA-256 over the associated data, its length and the content, under a key
//    of its own. So a nonce comes twice only with the same bytes, or by chance: 2^-33 for 2^32 records of one data key.
//    It is made of two hashes in one step each, because an object for it costs more than hashing a record does. Each
//    hash is returned as a text of its bytes, because a buffer of its own for each costs as much as the second hash.
// #2 Encryption, nonce and search have different keys, derived from the secret by HKDF.
// #3 Equal records show as equal. They are repeats of one record under one id, which the id shows too.

import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hash, hkdfSync, type KeyObject } from "node:crypto";

export interface CipherKeys {
  readonly encryption: KeyObject;
  readonly nonce: NonceKey;
}

/** The key of an HMAC, combined with the pads of its inner and its outer hash (RFC 2104). */
interface NonceKey {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;
const hashBlockBytes = 64;
const hashBytes = 32;
const termCharacters = 22;

/** #2 */
export function deriveKey(secret: Uint8Array, use: "encryption" | "search"): KeyObject {
  return createSecretKey(deriveBytes(secret, use));
}

export function deriveSealKeys(secret: Uint8Array): CipherKeys {
  const nonce = deriveBytes(secret, "nonce");
  return { encryption: deriveKey(secret, "encryption"), nonce: { inner: padKey(nonce, 0x36), outer: padKey(nonce, 0x5c) } };
}

function deriveBytes(secret: Uint8Array, use: "encryption" | "nonce" | "search"): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(), `sluice ${use} 1`, keyBytes));
}

function padKey(key: Uint8Array, pad: number): Buffer {
  return Buffer.from(Array.from({ length: hashBlockBytes }, (_, index) => (key[index] ?? 0) ^ pad));
}

/** HMAC-SHA-256 over the length of the associated data (8 bytes), that data and the content; its first 96 bits. */
function makeNonce({ inner, outer }: NonceKey, associated: Uint8Array, content: Uint8Array): Buffer {
  const begin = hashBlockBytes + 8;
  const text = Buffer.allocUnsafe(begin + associated.length + content.length);
  text.set(inner);
  text.writeUInt32BE(0, hashBlockBytes);
  text.writeUInt32BE(associated.length, hashBlockBytes + 4);
  text.set(associated, begin);
  text.set(content, begin + associated.length);
  const last = Buffer.allocUnsafe(hashBlockBytes + hashBytes);
  last.set(outer);
  last.write(hash("sha256", text, "latin1"), hashBlockBytes, "latin1");
  const nonce = Buffer.allocUnsafe(nonceBytes);
  nonce.write(hash("sha256", last, "latin1"), 0, nonceBytes, "latin1");
  return nonce;
}

/** Returns the nonce, and the ciphertext with its tag. */
export function sealBytes(keys: CipherKeys, associated: Uint8Array, content: Uint8Array) {
  const nonce = makeNonce(keys.nonce, associated, content);
  const cipher = createCipheriv("aes-256-gcm", keys.encryption, nonce);
  cipher.setAAD(associated);
  const sealed = Buffer.allocUnsafe(content.length + tagBytes);
  sealed.set(cipher.update(content));
  // In GCM all of the ciphertext is there before the end.
  cipher.final();
  sealed.set(cipher.getAuthTag(), content.length);
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
