// The bearer tokens of a caller, in the two forms that the file has: a hash alone, or a hash with an id and an end.

import { type HeldToken, tokenId } from "@sluice/kernel";
import { z } from "zod";

const sha256 = z.string().regex(/^[0-9a-fA-F]{64}$/, "SHA-256 of the token, 64 hex digits");
const instant = "an instant with its offset, such as 2027-06-30T22:00:00Z";

/** When something ends, in Unix milliseconds. */
export const end = z
  .string(instant)
  .meta({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$` })
  .transform((given, context) => {
    const ms = readInstant(given);
    if (ms !== null) return ms;
    context.addIssue({ code: "custom", message: instant });
    return z.NEVER;
  });

const tokensMax = 10;

/** Members of every caller. A caller has a token in at least one of them (`cross-checks.ts`). */
export const tokenMembers = {
  tokenSha256: z.array(sha256).max(tokensMax).default([]),
  tokens: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[a-z0-9-]{1,32}$/, "1 to 32 of a-z, 0-9 and -"),
        sha256,
        notAfter: end,
      }),
    )
    .max(tokensMax)
    .default([]),
};

export interface TokensInFile {
  readonly tokenSha256: readonly string[];
  readonly tokens: readonly { readonly id: string; readonly sha256: string; readonly notAfter: number }[];
}

export function toHeldTokens(file: TokensInFile): readonly HeldToken[] {
  const undated = file.tokenSha256.map((hash) => hash.toLowerCase()).map((hash) => ({ id: tokenId(hash), sha256: hash, notAfterMs: null }));
  const dated = file.tokens.map(({ id, sha256: hash, notAfter }) => ({ id, sha256: hash.toLowerCase(), notAfterMs: notAfter }));
  return [...undated, ...dated];
}

/** Null: the text is no instant. */
export function readInstant(text: string): number | null {
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    return null;
  }
}
