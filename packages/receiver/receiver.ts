// The handler of Sluice's postings, from `Request` to `Response`: for hono, Deno, Bun, and for Node by `nodeListener`.
//
// | answer | when | what Sluice does |
// | --- | --- | --- |
// | 202 | the inbox has it, now or before | done |
// | 401 | no valid signature, or a header that contradicts the body | blames the address, alerts, repeats in minutes |
// | 400 | signed, but not readable | stops, shows it to its operators |
// | 405, 413 | not a POST; longer than the bound | as 401; as 400 |
// | 408 | the body broke off | repeats |
// | 500 | the inbox did not store it | repeats with growing waits |
//
// #1 It verifies first, over the bytes as they came; then it reads, stores in the inbox, and answers. It never answers
//    202 before the inbox has committed.
// #2 It never rejects. The texts of answers are fixed and contain nothing of what was sent or of what failed inside.
// #3 An inbox that fails is 500 without Retry-After, which would stop all other messages to this bank, too.

import { readBounded } from "./bounded-body.ts";
import { demandExactJson } from "./json/exact-json.ts";
import type { Inbox, InboxResult } from "./inbox.ts";
import type { ReceiverKey } from "./signature/keys.ts";
import { readMessage } from "./message.ts";
import { verify, type SignatureRefusal } from "./signature/verify.ts";

export interface ReceiverOptions {
  /** A function is called for each posting, so that keys can be replaced without a restart. */
  readonly keys: readonly ReceiverKey[] | (() => readonly ReceiverKey[]);
  readonly inbox: Inbox;
  /** The current epoch milliseconds: `Date.now`. */
  readonly nowMs: () => number;
  /** Milliseconds; 5 minutes by default. */
  readonly toleranceMs?: number;
  /** Bytes; 1 MiB by default. */
  readonly bodyBytesMax?: number;
  /** For logs and alarms; an error that it throws is ignored. */
  readonly onOutcome?: (outcome: ReceiverOutcome) => void;
}

export interface ReceiverOutcome {
  readonly status: 202 | 400 | 401 | 405 | 408 | 413 | 500;
  readonly reason: InboxResult | SignatureRefusal | "not-json" | "place-contradicts" | "no-post" | "too-long" | "cut" | "inbox-failed";
  /** The id of a verified posting. */
  readonly webhookId: string | null;
  /** The error with which the inbox rejected. */
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
    return buildAnswer(outcome);
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

function buildAnswer({ status }: ReceiverOutcome): Response {
  if (status === 202) return new Response(null, { status });
  const body = JSON.stringify({ schema: "ErrorDetail", message: words[status], detail: words[status] });
  const allow: Readonly<Record<string, string>> = status === 405 ? { allow: "POST" } : {};
  return new Response(body, { status, headers: { "content-type": "application/json", ...allow } });
}
