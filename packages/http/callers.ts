// Who is calling as a bank or a connector: the holder of a bearer token (`tokens.ts`), with its kind.

import { createTokens, type TokenHolder } from "./tokens.ts";

export type CallerKind = "bank" | "connector";

export interface Caller {
  /** Configured id, unique among banks and connectors. */
  readonly id: string;
  readonly kind: CallerKind;
}

export interface CallerCredentials extends Caller, TokenHolder {}

export interface Callers {
  /** The caller of an `Authorization` header; null: none, not a bearer token, or not known. */
  identify(authorization: string | null | undefined): Caller | null;
  /** Throws, and keeps those it had, where a hash is none. */
  replace(parties: readonly CallerCredentials[]): void;
}

export function createCallers(parties: readonly CallerCredentials[]): Callers {
  const tokens = createTokens(parties);
  return {
    identify(authorization) {
      const found = tokens.identify(authorization);
      return found === null ? null : { id: found.id, kind: found.kind };
    },
    replace: (next) => tokens.replace(next),
  };
}
