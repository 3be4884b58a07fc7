// Identifies a bank or connector by the token of its call, and by its certificate if it is bound to one (`tokens.ts`).

import type { AccessTokens } from "../access-tokens/access-tokens.ts";
import { createTokens, type LogIn, type ShownCredentials, type TokenHolder } from "./tokens.ts";

export type HttpCallerKind = "bank" | "connector";

export interface Caller {
  /** Configured id, unique among banks and connectors. */
  readonly id: string;
  readonly kind: HttpCallerKind;
}

export interface CallerCredentials extends Caller, TokenHolder {}

export interface Callers {
  identify(shown: ShownCredentials): Promise<LogIn<Caller>>;
  /** Replaces all callers. Throws if a hash is malformed, and then keeps the former ones. */
  replace(callers: readonly CallerCredentials[]): void;
}

export function createCallers(
  callers: readonly CallerCredentials[],
  nowMs: () => number,
  accessTokens: AccessTokens | null = null,
): Callers {
  const tokens = createTokens(callers, nowMs, accessTokens);
  return {
    async identify(shown) {
      const found = await tokens.identify(shown);
      if (!found.ok) return found;
      const { id, kind, tokenId, certificateId } = found.holder;
      return { ok: true, holder: { id, kind, tokenId, certificateId } };
    },
    replace: (next) => tokens.replace(next),
  };
}
