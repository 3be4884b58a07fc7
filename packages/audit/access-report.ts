// What an answered request says about access: somebody with a known credential came, or somebody was refused.

import type { AccessTrail } from "./access-trail.ts";

export interface AnsweredRequest {
  /** Null: the address is that of no operation. */
  readonly operation: string | null;
  /** Null: nobody was authenticated. */
  readonly caller: string | null;
  /** Id of the credential that was used; null: none that is known. */
  readonly credential: string | null;
  readonly remoteAddress: string | null;
  readonly status: number;
}

const refusals: ReadonlySet<number> = new Set([401, 403, 404, 405, 429]);

/** A known caller's 404 or 405 is a mistake in an address, and no matter of access. */
export function noteAccess(trail: AccessTrail, { operation, caller, credential, remoteAddress, status }: AnsweredRequest): void {
  if (caller !== null) trail.note("sign-in", { caller, credential, address: remoteAddress });
  const isRefused = refusals.has(status) && (caller === null || status === 403 || status === 429);
  if (isRefused) trail.note("refused", { status, operation, caller, credential, address: remoteAddress });
}
