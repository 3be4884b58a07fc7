// Asks for events that were missed: `GET /transactions/{uetr}/events?from=N`, page by page.
//
// #1 The answer has the same events and ids as the postings. They go through the same inbox, so a posting that arrives
//    late is a repeat.
// #2 Each page is stored before the next is requested; after a crash in between the bank asks again.
// #3 No answer makes it throw; an error of the inbox is passed on.

import { readBounded } from "./bounded-body.ts";
import { elementTexts } from "./json/element-texts.ts";
import { ExactNumber, isExactObject, parseExact, type ExactJson } from "./json/exact-json.ts";
import type { Inbox } from "./inbox.ts";
import { readSequence, sequenceMax, readUetr, type Message } from "./message.ts";

export interface AskPorts {
  /** Sends the request, with a timeout of the bank's choice. */
  readonly fetch: (url: string, init: { readonly headers: Readonly<Record<string, string>> }) => Promise<Response>;
  /** The base address of Sluice's console service, without a trailing slash. */
  readonly consoleUrl: string;
  /** The bearer token of the bank's calls to Sluice. */
  readonly token: string;
}

export type EventsAnswer =
  /** `next` is the number to ask from; null: there are no more events for now. */
  | { readonly kind: "events"; readonly events: readonly Message[]; readonly next: number | null }
  /** The transaction is not known, at least not yet, or belongs to another bank. */
  | { readonly kind: "unknown" }
  | { readonly kind: "later"; readonly retryAfterMs: number }
  | { readonly kind: "refused"; readonly status: number };

export type CatchUpResult =
  /** All events that exist for now were stored. */
  | { readonly kind: "all"; readonly firsts: number }
  /** Ask again from this number on, after a while. */
  | { readonly kind: "later"; readonly firsts: number; readonly from: number; readonly retryAfterMs: number }
  | { readonly kind: "unknown" | "refused"; readonly firsts: number };

const pageBytesMax = 4 * 1_048_576;
const pagesMax = 1_000;
const laterDefaultMs = 1_000;
const laterMaxMs = 15 * 60_000;

export async function askEvents(ports: AskPorts, uetr: string, from: number): Promise<EventsAnswer> {
  const answer = await answered(ports, `${ports.consoleUrl}/transactions/${encodeURIComponent(uetr)}/events?from=${from}`);
  if (answer === null) return { kind: "later", retryAfterMs: laterDefaultMs };
  const { status, headers } = answer;
  if (status !== 200) await answer.body?.cancel().catch(() => undefined);
  if (status === 404) return { kind: "unknown" };
  if (status === 408 || status === 429 || status >= 500) return { kind: "later", retryAfterMs: readRetryAfter(headers) };
  if (status !== 200) return { kind: "refused", status };
  const body = await readBounded(answer, pageBytesMax);
  if (body.kind === "cut") return { kind: "later", retryAfterMs: laterDefaultMs };
  return (body.kind === "whole" ? readPage(body.bytes, uetr) : null) ?? { kind: "refused", status };
}

/** Asks from this number on until there are no more events for now, and passes each to the inbox, in order. */
export async function catchUp(ports: AskPorts, inbox: Inbox, uetr: string, from: number): Promise<CatchUpResult> {
  let firsts = 0;
  let at = from;
  for (let page = 0; page < pagesMax; page += 1) {
    const asked = await askEvents(ports, uetr, at);
    if (asked.kind === "later") return { kind: "later", firsts, from: at, retryAfterMs: asked.retryAfterMs };
    if (asked.kind !== "events") return { kind: asked.kind, firsts };
    for (const event of asked.events) firsts += (await inbox.take(event)) === "first" ? 1 : 0;
    if (asked.next === null) return { kind: "all", firsts };
    if (asked.next <= at) return { kind: "later", firsts, from: at, retryAfterMs: laterDefaultMs };
    at = asked.next;
  }
  return { kind: "later", firsts, from: at, retryAfterMs: laterDefaultMs };
}

async function answered({ fetch, token }: AskPorts, url: string): Promise<Response | null> {
  try {
    return await fetch(url, { headers: { authorization: `Bearer ${token}`, accept: "application/json" } });
  } catch {
    return null;
  }
}

function readPage(bytes: Uint8Array, uetr: string): EventsAnswer | null {
  const read = parseExact(bytes);
  if (!read.ok || !isExactObject(read.value)) return null;
  const { events, webhookIds, next } = read.value;
  if (!isList(events) || !isList(webhookIds) || events.length !== webhookIds.length) return null;
  const texts = elementTexts(new TextDecoder().decode(bytes), "events");
  if (texts.length !== events.length) return null;
  const messages: Message[] = [];
  for (const [index, json] of events.entries()) {
    const webhookId = webhookIds[index];
    if (!isExactObject(json) || typeof webhookId !== "string" || readUetr(json) !== uetr.toLowerCase()) return null;
    const body = new TextEncoder().encode(texts[index]);
    const sequence = readSequence(json);
    const before = messages.findLast((message) => message.sequence !== null);
    const previousId = sequence !== null && before?.sequence === sequence - 1 ? before.webhookId : null;
    messages.push({ webhookId, uetr: uetr.toLowerCase(), sequence, previousId, path: null, body, json });
  }
  const from = next instanceof ExactNumber ? Number(next.text) : null;
  if (from !== null && !(Number.isInteger(from) && from >= 1 && from <= sequenceMax)) return null;
  return { kind: "events", events: messages, next: from };
}

function isList(value: ExactJson | undefined): value is readonly ExactJson[] {
  return Array.isArray(value);
}

function readRetryAfter(headers: Headers): number {
  const seconds = headers.get("retry-after") ?? "";
  return /^[0-9]{1,6}$/.test(seconds) ? Math.min(Math.max(Number(seconds) * 1_000, laterDefaultMs), laterMaxMs) : laterDefaultMs;
}
