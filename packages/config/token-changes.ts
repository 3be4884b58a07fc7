// What changed in the tokens of one holder. A token is named by its id alone.

import type { HeldToken } from "@sluice/kernel";

export interface TokenChanges {
  readonly came: readonly string[];
  readonly went: readonly string[];
  /** Tokens that stay, with another end or another id. */
  readonly moved: readonly string[];
}

export function listTokenChanges(before: readonly HeldToken[], after: readonly HeldToken[]): TokenChanges {
  const known = new Map(before.map((token) => [token.sha256, token]));
  const left = new Set(after.map(({ sha256 }) => sha256));
  const isMoved = ({ id, notAfterMs }: HeldToken, former: HeldToken | undefined): boolean =>
    former !== undefined && (former.notAfterMs !== notAfterMs || former.id !== id);
  return {
    came: listTokenIds(after.filter(({ sha256 }) => !known.has(sha256))),
    went: listTokenIds(before.filter(({ sha256 }) => !left.has(sha256))),
    moved: listTokenIds(after.filter((token) => isMoved(token, known.get(token.sha256)))),
  };
}

export function listTokenIds(tokens: readonly HeldToken[]): readonly string[] {
  return tokens.map(({ id }) => id);
}
