const tokenIdDigits = 12;

/** Names a bearer token in logs without giving it away: the first hexadecimal digits of its SHA-256. */
export function tokenId(sha256: string): string {
  return sha256.slice(0, tokenIdDigits);
}
