// The cookie of a sign-in that is under way at the provider. The browser comes back from another site, so it is sent
// then too (`Lax`), where the cookie of a session is not.

import { flowLifeMs } from "@sluice/service";

const cookieName = "__Host-sluice-sign-in";

export function flowCookie(id: string): string {
  return `${cookieName}=${id}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${flowLifeMs / 1_000}`;
}

export const endedFlowCookie = `${cookieName}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0`;

/** Null: the browser has no sign-in under way. */
export function readFlowId(cookies: string | null): string | null {
  return new RegExp(`(?:^|;\\s*)${cookieName}=([0-9a-f]{64})(?:;|$)`).exec(cookies ?? "")?.[1] ?? null;
}
