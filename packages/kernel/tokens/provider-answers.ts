// Reads what providers of OpenID Connect and authorization servers answer, for every client of theirs: the console's
// sign-in, the command line's, and connections with client credentials. Pure.
//
// #1 An address has TLS or is loopback: anybody on the way could else answer in the provider's place.
// #2 Of what a provider says only an error code of the standard's form is repeated, because a text may hold a token.

/** Characters of an answer that count; a longer one is refused. */
export const providerCharactersMax = 65_536;

export type ProviderMembers = Readonly<Record<string, unknown>>;

/** Where a provider describes itself (OpenID Connect Discovery). */
export function discoveryAddress(issuer: string): string {
  return `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
}

/** The members of an answer; none, if it is too long or no object of JSON. */
export function readProviderMembers(text: string): ProviderMembers {
  if (text.length > providerCharactersMax) return {};
  try {
    const members: unknown = JSON.parse(text);
    return typeof members === "object" && members !== null ? { ...members } : {};
  } catch {
    return {};
  }
}

/** #1 The address as it is asked or shown; null: it is none, or not safe. */
export function readSafeAddress(given: unknown): string | null {
  const url = typeof given === "string" ? URL.parse(given) : null;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(url.hostname));
  return url !== null && isSafe && url.username === "" && url.password === "" ? url.href : null;
}

/** #1 An endpoint has no fragment besides (RFC 6749, section 3). */
export function readEndpointAddress(given: unknown): string | null {
  const address = readSafeAddress(given);
  return address === null || address.includes("#") ? null : address;
}

/** #2 */
export function isErrorCode(code: unknown): code is string {
  return typeof code === "string" && /^[a-z_]{1,40}$/.test(code);
}
