// The 401 for a caller that was not let in. The connection is closed: only a known caller may keep connections.
//
// #1 Without a known token the answer says only that one is needed. What else was wrong only the holder of a
//    token learns.

import { problemResponse } from "./problem.ts";
import type { LogInRefusalReason, RefusedLogIn } from "./tokens.ts";

interface Explained {
  readonly message: string;
  readonly detail: string;
  /** Members of the challenge (RFC 6750). */
  readonly challenge: string;
}

const explained: Readonly<Record<Exclude<LogInRefusalReason, "unknown">, Explained>> = {
  "token-expired": {
    message: "Token expired",
    detail: "The bearer token is past its end. Use the one that replaces it.",
    challenge: ' error="invalid_token", error_description="token-expired"',
  },
};

/** `needed` says which token somebody unknown must have. */
export function logInRefused({ reason }: RefusedLogIn, needed: string): Response {
  const { message, detail, challenge } =
    reason === "unknown" ? { message: "Not authenticated", detail: needed, challenge: "" } : explained[reason];
  return problemResponse(401, message, detail, { "www-authenticate": `Bearer${challenge}`, connection: "close" });
}
