/** A bearer token as Sluice knows it, which is never the token itself. */
export interface HeldToken {
  /** Names the token in logs and in the audit. */
  readonly id: string;
  /** SHA-256 of the token, hex in lower case. */
  readonly sha256: string;
  /** When the token ends, in Unix milliseconds; null: it has no end. */
  readonly notAfterMs: number | null;
}

const tokenIdDigits = 12;

/** The id of a token that was given none: the first hexadecimal digits of its SHA-256, which do not give it away. */
export function tokenId(sha256: string): string {
  return sha256.slice(0, tokenIdDigits);
}
