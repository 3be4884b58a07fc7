// The handler for Sluice's postings, `Request` in and `Response` out: for hono, Deno, Bun, and Node by `nodeListener`.
//
// | answer | when | what Sluice makes of it |
// | --- | --- | --- |
// | 202 | the inbox has it, now or before | done |
// | 401 | no signature of ours, or a header that contradicts the body | takes it as a fault of the address, alerts, repeats in minutes |
// | 400 | signed, and not readable | stops, shows it to its operators |
// | 405, 413 | no POST; longer than the bound | as 401; as 400 |
// | 408 | the body broke off | repeats |
// | 500 | the inbox did not take it | repeats with growing waits |
//
// #1 Verify first, over the bytes as they came; then read; then the inbox; then answer. 202 never before the inbox has committed.
// #2 It never rejects. The words of an answer are fixed, and hold nothing of what was sent or of what went wrong inside.
// #3 An inbox that fails is 500, without Retry-After: that would stop everything else for this bank, too.

import { readBounded } from "./bounded-body.ts";
import { demandExactJson } from "./exact-json.ts";
import type { Inbox, Taken } from "./inbox.ts";
import type { ReceiverKey } from "./keys.ts";
import { readMessage } from "./message.ts";
import { verify, type SignatureRefusal } from "./verify.ts";

export interface ReceiverOptions {
  /** As a function: asked for each posting, so that keys can be replaced without a restart. */
  readonly keys: readonly ReceiverKey[] | (() => readonly ReceiverKey[]);
  readonly inbox: Inbox;
  /** Epoch ms: `Date.now`. */
  readonly nowMs: () => number;
  /** 5 minutes by default. */
  readonly toleranceMs?: number;
  /** 1 MiB by default. */
  readonly bodyBytesMax?: number;
  /** For logs and alarms; what it throws is left aside. */
  readonly onOutcome?: (outcome: ReceiverOutcome) => void;
}

export interface ReceiverOutcome {
  readonly status: 202 | 400 | 401 | 405 | 408 | 413 | 500;
  readonly reason: Taken | SignatureRefusal | "not-json" | "place-contradicts" | "no-post" | "too-long" | "cut" | "inbox-failed";
  /** Of a verified posting. */
  readonly webhookId: string | null;
  /** What the inbox rejected with. */
  readonly error?: unknown;
}

export type Receiver = (request: Request) => Promise<Response>;

const bodyBytesMaxDefault = 1_048_576;
const words: Readonly<Record<Exclude<ReceiverOutcome["status"], 202>, string>> = {
  400: "The body is not a JSON object.",
  401: "The posting could not be verified.",
  405: "Only POST is served.",
  408: "The body broke off.",
  413: "The body is too long.",
  500: "The posting was not stored. Send it again.",
};

export function createReceiver(options: ReceiverOptions): Receiver {
  demandExactJson();
  return async (request) => {
    const outcome = await received(request, options);
    try {
      options.onOutcome?.(outcome);
    } catch {
      // #2
    }
    return answerOf(outcome);
  };
}

async function received(request: Request, options: ReceiverOptions): Promise<ReceiverOutcome> {
  let webhookId: string | null = null;
  try {
    if (request.method !== "POST") return { status: 405, reason: "no-post", webhookId };
    const read = await readBounded(request, options.bodyBytesMax ?? bodyBytesMaxDefault);
    if (read.kind === "too-long") return { status: 413, reason: read.kind, webhookId };
    if (read.kind === "cut") return { status: 408, reason: read.kind, webhookId };
    const { headers } = request;
    const { toleranceMs, keys } = options;
    const verdict = await verify({
      headers,
      body: read.bytes,
      keys: typeof keys === "function" ? keys() : keys,
      nowMs: options.nowMs(),
      ...(toleranceMs === undefined ? {} : { toleranceMs }),
    });
    if (!verdict.ok) return { status: 401, reason: verdict.reason, webhookId };
    webhookId = verdict.webhookId;
    const { pathname } = new URL(request.url);
    const found = readMessage({ webhookId, headers, path: pathname, body: read.bytes });
    if (!found.ok) return { status: found.reason === "not-json" ? 400 : 401, reason: found.reason, webhookId };
    return { status: 202, reason: await options.inbox.take(found.message), webhookId };
  } catch (error) {
    return { status: 500, reason: "inbox-failed", webhookId, error };
  }
}

function answerOf({ status }: ReceiverOutcome): Response {
  if (status === 202) return new Response(null, { status });
  const body = JSON.stringify({ schema: "ErrorDetail", message: words[status], detail: words[status] });
  const allow: Readonly<Record<string, string>> = status === 405 ? { allow: "POST" } : {};
  return new Response(body, { status, headers: { "content-type": "application/json", ...allow } });
}
