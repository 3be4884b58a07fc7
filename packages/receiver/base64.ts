// Base64, of keys and signatures, by RFC 4648 section 4 and nothing looser.

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Null: not base64, or empty. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  return text === "" || !base64.test(text) ? null : Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
