// Reads verification keys from their texts: `whsec_…` is a symmetric secret, `whpk_…` the public half of an ed25519
// key.
//
// #1 An error names a key by its number, never by its text.
// #2 Several keys are valid at once: while a key is replaced, the bank holds the old and the new one.

import { decodeBase64 } from "./base64.ts";

/** A key as Web Crypto holds it: it cannot be exported. */
export interface ReceiverKey {
  readonly kind: "symmetric" | "ed25519";
  readonly key: CryptoKey;
}

export type KeysRead =
  | { readonly ok: true; readonly keys: readonly ReceiverKey[] }
  /** `number` is the position of the bad text, from 1; 0: the count of texts is wrong. */
  | { readonly ok: false; readonly number: number; readonly reason: string };

export const keysMax = 16;
const secretBytesMin = 24;
const secretBytesMax = 64;
const publicKeyBytes = 32;

export async function readKeys(texts: readonly string[]): Promise<KeysRead> {
  if (texts.length === 0 || texts.length > keysMax) return { ok: false, number: 0, reason: `1 to ${keysMax} keys are needed` };
  const keys: ReceiverKey[] = [];
  for (const [index, text] of texts.entries()) {
    const read = await readKey(text.trim());
    if (typeof read === "string") return { ok: false, number: index + 1, reason: read };
    keys.push(read);
  }
  return { ok: true, keys };
}

/** Returns a text that explains the error where the key is bad. */
async function readKey(text: string): Promise<ReceiverKey | string> {
  if (text.startsWith("whsk_")) return "a private key is no business of a receiver's: hold its public half, whpk_";
  const kind = text.startsWith("whsec_") ? "symmetric" : text.startsWith("whpk_") ? "ed25519" : null;
  if (kind === null) return "a key begins with whsec_ or whpk_";
  const bytes = decodeBase64(padded(text.slice(text.indexOf("_") + 1)));
  if (bytes === null) return "the rest of a key is base64";
  if (kind === "symmetric") {
    if (bytes.length < secretBytesMin || bytes.length > secretBytesMax) return `a secret has ${secretBytesMin} to ${secretBytesMax} bytes`;
    return { kind, key: await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]) };
  }
  if (bytes.length !== publicKeyBytes) return `a public key has ${publicKeyBytes} bytes`;
  return { kind, key: await crypto.subtle.importKey("raw", bytes, { name: "Ed25519" }, false, ["verify"]) };
}

/** Some tools leave out the `=` at the end. */
function padded(base64: string): string {
  return base64.padEnd(Math.ceil(base64.length / 4) * 4, "=");
}
