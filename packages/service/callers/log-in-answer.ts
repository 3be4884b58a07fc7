// The 401 for a caller that was not let in. The connection is closed: only a known caller may keep connections.
//
// #1 Without a known token the answer says only that one is needed. What else was wrong only the holder of a
//    token learns.

import { problemResponse } from "../http/problem.ts";
import type { LogInRefusalReason, RefusedLogIn } from "./tokens.ts";

interface Explained {
  readonly message: string;
  readonly detail: string;
}

const explained: Readonly<Record<Exclude<LogInRefusalReason, "unknown">, Explained>> = {
  "token-expired": {
    message: "Token expired",
    detail: "The bearer token is past its end. Use the one that replaces it.",
  },
  "certificate-missing": {
    message: "Certificate needed",
    detail: "You are known only with a client certificate of yours, and the connection has none.",
  },
  "certificate-expired": {
    message: "Certificate expired",
    detail: "The client certificate of the connection is past its end, or before its begin.",
  },
  "certificate-not-bound": {
    message: "Certificate not known",
    detail: "The client certificate of the connection is none of yours.",
  },
};

/** `needed` says which token somebody unknown must have. */
export function logInRefused({ reason }: RefusedLogIn, needed: string): Response {
  const { message, detail } = reason === "unknown" ? { message: "Not authenticated", detail: needed } : explained[reason];
  // RFC 6750, and RFC 8705 for certificates.
  const challenge = reason === "unknown" ? "Bearer" : `Bearer error="invalid_token", error_description="${reason}"`;
  return problemResponse(401, message, detail, { "www-authenticate": challenge, connection: "close" });
}
