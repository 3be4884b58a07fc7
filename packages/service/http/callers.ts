// Identifies a bank or connector by the bearer token of its call (`tokens.ts`).

import { createTokens, type Identified, type TokenHolder } from "./tokens.ts";

export type HttpCallerKind = "bank" | "connector";

export interface Caller {
  /** Configured id, unique among banks and connectors. */
  readonly id: string;
  readonly kind: HttpCallerKind;
}

export interface CallerCredentials extends Caller, TokenHolder {}

export interface Callers {
  /** Finds the caller by an `Authorization` header; null if it is missing, not a bearer token, or unknown. */
  identify(authorization: string | null | undefined): Identified<Caller> | null;
  /** Replaces all callers. Throws if a hash is malformed, and then keeps the former ones. */
  replace(callers: readonly CallerCredentials[]): void;
}

export function createCallers(callers: readonly CallerCredentials[]): Callers {
  const tokens = createTokens(callers);
  return {
    identify(authorization) {
      const found = tokens.identify(authorization);
      return found === null ? null : { id: found.id, kind: found.kind, tokenId: found.tokenId };
    },
    replace: (next) => tokens.replace(next),
  };
}
