// Identifies a bank or connector by the bearer token of its call, and by its certificate if it is bound to one
// (`tokens.ts`).

import type { PeerCertificate } from "./peer-certificate.ts";
import { createTokens, type LogIn, type TokenHolder } from "./tokens.ts";

export type HttpCallerKind = "bank" | "connector";

export interface Caller {
  /** Configured id, unique among banks and connectors. */
  readonly id: string;
  readonly kind: HttpCallerKind;
}

export interface CallerCredentials extends Caller, TokenHolder {}

export interface Callers {
  /** Finds the caller by an `Authorization` header, which may be missing, and the certificate of the connection. */
  identify(authorization: string | null | undefined, certificate: PeerCertificate | null): LogIn<Caller>;
  /** Replaces all callers. Throws if a hash is malformed, and then keeps the former ones. */
  replace(callers: readonly CallerCredentials[]): void;
}

export function createCallers(callers: readonly CallerCredentials[], nowMs: () => number): Callers {
  const tokens = createTokens(callers, nowMs);
  return {
    identify(authorization, certificate) {
      const found = tokens.identify(authorization, certificate);
      if (!found.ok) return found;
      const { id, kind, tokenId, certificateId } = found.holder;
      return { ok: true, holder: { id, kind, tokenId, certificateId } };
    },
    replace: (next) => tokens.replace(next),
  };
}
