// Tokens for client credentials (RFC 6749, section 4.4).
//
// #1 A token is asked for when one is needed and none is valid for another while; callers at the same time share the
//    question.
// #2 A token is renewed before it ends: a minute before, or after four fifths of its life if that is shorter.
// #3 A Fault names the endpoint's status and error code, and neither the secret nor a token.

import type { SecureContext } from "node:tls";
import { Fault, type Time } from "@sluice/kernel";
import { requestText } from "./request.ts";

export interface TokenEndpoint {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: () => string;
  readonly scope: string | null;
  readonly secureContext: () => SecureContext;
}

const answerTimeoutMs = 5_000;
const renewBeforeMs = 60_000;
const usedShare = 0.8;
/** Seconds of a token whose answer does not say how long it is valid. */
const lifeDefaultS = 300;
const tokenCharactersMax = 16_384;

/** Returns a function for a valid token. It rejects with the retryable Fault `connection.no-token`. */
export function createTokenSource(endpoint: TokenEndpoint, time: Time): () => Promise<string> {
  let current: { readonly token: string; readonly untilMs: number } | null = null;
  let asking: Promise<string> | null = null;

  async function ask(): Promise<string> {
    const { token, lifeMs } = await askEndpoint(endpoint, time);
    current = { token, untilMs: time.monotonicMs() + Math.max(lifeMs - renewBeforeMs, lifeMs * usedShare) };
    return token;
  }

  return async () => {
    if (current !== null && time.monotonicMs() < current.untilMs) return current.token;
    asking ??= ask().finally(() => (asking = null));
    return await asking;
  };
}

async function askEndpoint({ url, clientId, clientSecret, scope, secureContext }: TokenEndpoint, time: Time) {
  const login = [clientId, clientSecret()].map((part) => encodeURIComponent(part)).join(":");
  const body = new URLSearchParams({ grant_type: "client_credentials", ...(scope === null ? {} : { scope }) }).toString();
  const headers = {
    authorization: `Basic ${Buffer.from(login).toString("base64")}`,
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
  };
  const tls = url.startsWith("https:") ? { secureContext: secureContext() } : {};
  const answer = await requestText({ url, method: "POST", headers, body, ...tls, time, timeoutMs: answerTimeoutMs }).catch(
    (error: unknown) => {
      throw noToken(error instanceof Error ? error.message : "no answer");
    },
  );
  const members = parseMembers(answer.body);
  if (answer.status !== 200) {
    const code = typeof members["error"] === "string" && /^[a-z_]{1,40}$/.test(members["error"]) ? ` ${members["error"]}` : "";
    throw noToken(`it answers ${answer.status}${code}`);
  }
  const { access_token: token, expires_in: lifeS = lifeDefaultS } = members;
  if (typeof token !== "string" || token.length > tokenCharactersMax || !/^[\x21-\x7e]+$/.test(token))
    throw noToken("its answer has no token");
  return { token, lifeMs: Number(lifeS) > 0 ? Number(lifeS) * 1_000 : 0 };
}

function noToken(why: string): Fault {
  return new Fault("connection.no-token", `the endpoint that issues tokens gave none: ${why}`, { isRetryable: true });
}

function parseMembers(body: string): Readonly<Record<string, unknown>> {
  try {
    const members: unknown = JSON.parse(body);
    return typeof members === "object" && members !== null ? { ...members } : {};
  } catch {
    return {};
  }
}
