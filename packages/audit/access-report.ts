// What an answered request says about access: somebody with a known credential came, or somebody was refused.

import type { AccessTrail } from "./access-trail.ts";

export interface AnsweredRequest {
  /** Null: the address is that of no operation. */
  readonly operation: string | null;
  /** Null: nobody is known. With a 401 it is the holder of a credential that was not accepted. */
  readonly caller: string | null;
  /** Id of the credential that was used; null: none that is known. */
  readonly credential: string | null;
  /** Id of the certificate that was shown with it; null: none was needed, or none was shown. */
  readonly certificate?: string | null;
  /** Id of the key that signed the message; null: it need not be signed, or is not. */
  readonly signature?: string | null;
  readonly remoteAddress: string | null;
  readonly status: number;
  /** Why a known credential was not accepted; null: it was, or there was none. */
  readonly refusal?: string | null;
  /** `sub` of who signed in at the provider of OpenID Connect; null: by another way. */
  readonly personSubject?: string | null;
}

const refusals: ReadonlySet<number> = new Set([401, 403, 404, 405, 429]);

/** A known caller's 404 or 405 is a mistake in an address, and no matter of access. */
export function noteAccess(
  trail: AccessTrail,
  {
    operation,
    caller,
    credential,
    certificate = null,
    signature = null,
    remoteAddress,
    status,
    refusal = null,
    personSubject = null,
  }: AnsweredRequest,
): void {
  const shown = {
    ...(certificate === null ? {} : { certificate }),
    ...(signature === null ? {} : { signature }),
    ...(personSubject === null ? {} : { subject: personSubject }),
  };
  if (caller !== null && status !== 401) trail.note("sign-in", { caller, credential, address: remoteAddress, ...shown });
  const isRefused = refusals.has(status) && (caller === null || status === 401 || status === 403 || status === 429);
  const why = refusal === null ? {} : { reason: refusal };
  if (isRefused) trail.note("refused", { status, operation, caller, credential, address: remoteAddress, ...shown, ...why });
}
