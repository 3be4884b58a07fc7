// The answer (401) to a caller that was not let in. The connection is closed: only a known caller may keep connections.
//
// #1 Without a known token the answer says only that one is needed. What else was wrong only the holder of a
//    token learns.
// #2 Where it is not known whether a token is good, the answer is 503: its holder has done nothing wrong.

import { tokenAlgorithms } from "@sluice/kernel";
import { problemResponse } from "../http/problem.ts";
import type { LogInRefusalReason, RefusedLogIn } from "./tokens.ts";

interface Explained {
  readonly message: string;
  readonly detail: string;
}

const explained: Readonly<Record<Exclude<LogInRefusalReason, "unknown" | "keys-away" | "proofs-too-many">, Explained>> = {
  "token-expired": {
    message: "Token expired",
    detail: "The token is past its end. Use the one that replaces it.",
  },
  "wrong-audience": {
    message: "Token not for us",
    detail: "The access token is for another audience.",
  },
  "token-not-bound": {
    message: "Token not bound",
    detail: "The access token is bound to neither a certificate nor a key. Only a bound one counts.",
  },
  "proof-missing": {
    message: "Proof needed",
    detail: "The access token is bound to a key: send it with the scheme DPoP, and a proof in the header DPoP.",
  },
  "proof-refused": {
    message: "Proof not accepted",
    detail: "The DPoP proof is not for this request, this token and its key, or is too old.",
  },
  "proof-repeated": {
    message: "Proof used before",
    detail: "The DPoP proof has been used. Each request needs a new one.",
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
  const close = { connection: "close" } as const;
  // #2
  if (reason === "keys-away") return problemResponse(503, "Not available now", keysAway, { "retry-after": "5", ...close });
  if (reason === "proofs-too-many") return problemResponse(429, "Too many", proofsTooMany, { "retry-after": "30", ...close });
  const { message, detail } = reason === "unknown" ? { message: "Not authenticated", detail: needed } : explained[reason];
  return problemResponse(401, message, detail, { "www-authenticate": challengeFor(reason), ...close });
}

const keysAway = "The access token cannot be judged: the keys of its issuer are away. Ask again.";
const proofsTooMany = "You sent more DPoP proofs than we can remember.";

/** RFC 6750, RFC 8705 for certificates, and RFC 9449 for proofs. */
function challengeFor(reason: LogInRefusalReason): string {
  if (reason === "unknown") return "Bearer";
  if (reason === "proof-missing") return `DPoP error="invalid_token", error_description="${reason}", algs="${tokenAlgorithms.join(" ")}"`;
  if (reason === "proof-refused" || reason === "proof-repeated") return `DPoP error="invalid_dpop_proof", error_description="${reason}"`;
  return `Bearer error="invalid_token", error_description="${reason}"`;
}
