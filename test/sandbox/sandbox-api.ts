// What a sandbox adds to the control port.
//
//   GET  /sandbox                      addresses, tokens, and the triggers
//   POST /sandbox/trigger              { name } sends such a message
//   GET  /sandbox/posts?after=N        what Sluice has posted to the bank behind the Nth post; waits for a while
//                                      &forward=all|events: the caller is a listener, who answers them itself
//   POST /sandbox/posts/N/answer       { status, retryAfter } the listener's answer
//
// #1 It asks for no token, as the clock does not: the process keeps nothing but test data.

import type { Random, Time } from "@sluice/kernel";
import { problemResponse } from "@sluice/service";
import type { SimulatedBank, SimulatedConnector } from "@sluice/testkit";
import { postsWaitMs, sandboxPrefix } from "./address.ts";
import { sandboxBank, sandboxConnector } from "./configuration.ts";
import type { Forwarding, PostAnswer, Posts } from "./posts.ts";
import { sendTrigger, triggers } from "./triggers.ts";

export interface SandboxApiPorts {
  readonly time: Time;
  readonly random: Random;
  readonly posts: Posts;
  readonly bank: SimulatedBank;
  readonly connector: SimulatedConnector;
  /** The address of banks. */
  readonly url: () => string;
}

const bodyCharactersMax = 1_000;
const places = "Here are GET /sandbox, POST /sandbox/trigger, GET /sandbox/posts and POST /sandbox/posts/N/answer.";

export function isSandboxPath({ url }: Request): boolean {
  const { pathname } = new URL(url);
  return pathname === sandboxPrefix || pathname.startsWith(`${sandboxPrefix}/`);
}

export function createSandboxApi(ports: SandboxApiPorts): { fetch(request: Request): Promise<Response> } {
  return {
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const name = `${request.method} ${pathname.slice(sandboxPrefix.length)}`;
      if (name === "GET ") return describe(ports);
      if (name === "POST /trigger") return await trigger(ports, await readBody(request));
      if (name === "GET /posts") return await listPosts(ports, searchParams, request.signal);
      const [, number = ""] = /^POST \/posts\/(\d{1,9})\/answer$/.exec(name) ?? [];
      if (number !== "") return answer(ports, Number(number), await readBody(request));
      return problemResponse(404, "Not found", places);
    },
  };
}

function describe({ url, time }: SandboxApiPorts): Response {
  const shown = triggers.map(({ name, does }) => ({ name, does }));
  return Response.json({
    url: url(),
    now: new Date(time.nowMs()).toISOString(),
    bank: sandboxBank,
    connector: sandboxConnector,
    triggers: shown,
  });
}

async function trigger(ports: SandboxApiPorts, body: Readonly<Record<string, unknown>>): Promise<Response> {
  const found = triggers.find(({ name }) => name === body["name"]);
  if (found === undefined) return problemResponse(400, "Invalid request", `name: one of ${triggers.map(({ name }) => name).join(", ")}.`);
  return Response.json(await sendTrigger(ports, found));
}

async function listPosts({ posts }: SandboxApiPorts, terms: URLSearchParams, signal: AbortSignal): Promise<Response> {
  const after = Number(terms.get("after") ?? 0);
  const forward = terms.get("forward");
  if (!Number.isSafeInteger(after) || after < 0) return problemResponse(400, "Invalid request", "after: the number of a post.");
  if (forward !== null && !isForwarding(forward)) return problemResponse(400, "Invalid request", "forward: all or events.");
  const wait = terms.get("wait") === "no" ? 0 : postsWaitMs;
  return Response.json({ posts: await posts.after(after, forward, wait, signal) });
}

function answer({ posts }: SandboxApiPorts, number: number, body: Readonly<Record<string, unknown>>): Response {
  const given = readAnswer(body);
  if (given === null) return problemResponse(400, "Invalid request", "status: 200 to 599, or null for no answer.");
  if (!posts.answer(number, given)) return problemResponse(409, "Nobody waits", "That post has been answered, or its time is over.");
  return Response.json({ number });
}

function readAnswer({ status, retryAfter }: Readonly<Record<string, unknown>>): PostAnswer | null {
  const isStatus = status === null || (typeof status === "number" && Number.isInteger(status) && status >= 200 && status < 600);
  if (!isStatus) return null;
  return { status, retryAfter: typeof retryAfter === "string" && /^[\x20-\x7e]{1,100}$/.test(retryAfter) ? retryAfter : null };
}

function isForwarding(word: string): word is Forwarding {
  return word === "all" || word === "events";
}

async function readBody(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const text = await request.text();
  try {
    const body: unknown = text.length > bodyCharactersMax ? null : JSON.parse(text);
    return typeof body === "object" && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}
