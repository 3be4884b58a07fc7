// The cookie of a session. Its prefix makes the browser refuse it from another host, another path, and without TLS; a
// loopback address counts as safe.

const cookieName = "__Host-sluice";

export function sessionCookie(id: string): string {
  return `${cookieName}=${id}; Path=/; Secure; HttpOnly; SameSite=Strict`;
}

export const endedCookie = `${cookieName}=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0`;

/** Null: the request has no cookie of a session. */
export function readSessionId(cookies: string | null): string | null {
  return new RegExp(`(?:^|;\\s*)${cookieName}=([0-9a-f]{64})(?:;|$)`).exec(cookies ?? "")?.[1] ?? null;
}
