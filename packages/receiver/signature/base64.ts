// Base64 of keys and signatures, strictly by RFC 4648 section 4.

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Returns null where the text is empty or not base64. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  return text === "" || !base64.test(text) ? null : Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
