// Tokens for client credentials (RFC 6749, section 4.4).
//
// #1 A token is asked for when one is needed and there is none; callers at the same time share the question.
// #2 A token is renewed before it ends: a minute before, or after four fifths of its life if that is shorter. Meanwhile
//    it is still used, so that nobody waits for the endpoint, and an endpoint that is away for a moment is not noticed.
// #3 While a token is still good, an endpoint that gave no other is asked again after `retryAfterMs`.
// #4 A Fault names the endpoint's status and error code, and neither the secret nor a token.

import type { SecureContext } from "node:tls";
import { Fault, type Time } from "@sluice/kernel";
import { isErrorCode, readProviderMembers } from "@sluice/kernel/provider-answers";
import { requestText, type TextAnswer } from "./request.ts";

export interface TokenEndpoint {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: () => string;
  readonly scope: string | null;
  readonly secureContext: () => SecureContext;
}

export interface TokenCache {
  /** Rejects with the retryable Fault `connection.no-token`. */
  take(): Promise<string>;
  /** Says that the token was refused where it was shown: the next one that needs a token asks for another. */
  drop(token: string): void;
}

const answerTimeoutMs = 5_000;
const renewBeforeMs = 60_000;
const usedShare = 0.8;
/** A token may still be on its way when it ends. */
const endMarginMs = 5_000;
const retryAfterMs = 5_000;
/** Seconds of a token whose answer does not say how long it is valid. */
const lifeDefaultS = 300;
const tokenCharactersMax = 16_384;

interface KeptToken {
  readonly token: string;
  renewMs: number;
  readonly endMs: number;
}

/** Returns a function for a valid token. It rejects with the retryable Fault `connection.no-token`. */
export function createTokenSource(endpoint: TokenEndpoint, time: Time): () => Promise<string> {
  const cache = createTokenCache(() => askEndpoint(endpoint, time), time);
  return () => cache.take();
}

/** `ask` sends the question, and rejects where no answer came. */
export function createTokenCache(ask: () => Promise<TextAnswer>, time: Pick<Time, "monotonicMs">): TokenCache {
  let current: KeptToken | null = null;
  let asking: Promise<string> | null = null;

  async function askOnce(): Promise<string> {
    const { token, lifeMs } = readAnswer(
      await ask().catch((error: unknown) => {
        throw noToken(error instanceof Error ? error.message : "no answer");
      }),
    );
    const nowMs = time.monotonicMs();
    current = { token, renewMs: nowMs + Math.max(lifeMs - renewBeforeMs, lifeMs * usedShare), endMs: nowMs + lifeMs - endMarginMs };
    return token;
  }

  function askTogether(): Promise<string> {
    asking ??= askOnce().finally(() => (asking = null));
    return asking;
  }

  /** #2 #3 */
  function renew(kept: KeptToken): void {
    kept.renewMs = time.monotonicMs() + retryAfterMs;
    void askTogether().catch(() => {});
  }

  return {
    async take() {
      if (current === null || time.monotonicMs() >= current.endMs) return await askTogether();
      if (time.monotonicMs() >= current.renewMs) renew(current);
      return current.token;
    },
    drop(token) {
      if (current?.token === token) current = null;
    },
  };
}

async function askEndpoint(endpoint: TokenEndpoint, time: Time): Promise<TextAnswer> {
  const { url, clientId, clientSecret, scope, secureContext } = endpoint;
  const login = [clientId, clientSecret()].map((part) => encodeURIComponent(part)).join(":");
  const body = new URLSearchParams({ grant_type: "client_credentials", ...(scope === null ? {} : { scope }) }).toString();
  const headers = {
    authorization: `Basic ${Buffer.from(login).toString("base64")}`,
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
  };
  const tls = url.startsWith("https:") ? { secureContext: secureContext() } : {};
  return await requestText({ url, method: "POST", headers, body, ...tls, time, timeoutMs: answerTimeoutMs });
}

function readAnswer(answer: TextAnswer): { readonly token: string; readonly lifeMs: number } {
  const members = readProviderMembers(answer.body);
  if (answer.status !== 200) {
    const { error: code } = members;
    throw noToken(`it answers ${answer.status}${isErrorCode(code) ? ` ${code}` : ""}`);
  }
  const { access_token: token, expires_in: lifeS = lifeDefaultS } = members;
  if (typeof token !== "string" || token.length > tokenCharactersMax || !/^[\x21-\x7e]+$/.test(token))
    throw noToken("its answer has no token");
  return { token, lifeMs: Number(lifeS) > 0 ? Number(lifeS) * 1_000 : 0 };
}

function noToken(why: string): Fault {
  return new Fault("connection.no-token", `the endpoint that issues tokens gave none: ${why}`, { isRetryable: true });
}
