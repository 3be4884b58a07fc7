// Shows what Sluice posts to the bank of a sandbox. With an address it forwards each post there, and hands the answer
// back to Sluice as the bank's.
//
// #1 It begins with what comes next, not with what was posted before.
// #2 Posts are forwarded side by side, as Sluice sends them. The same headers and bytes arrive, so that signatures fit.

import { machineTime } from "@sluice/kernel";
import type { SandboxClient } from "./client.ts";

export interface ListenerOptions {
  readonly sandbox: SandboxClient;
  /** Null: the sandbox answers, and the posts are only shown. */
  readonly forwardTo: string | null;
  /** What is forwarded: everything, or the events alone. */
  readonly forwarding: "all" | "events";
  readonly isJson: boolean;
  readonly out: (line: string) => void;
  /** Is called once posts are listened for. */
  readonly listening: () => void;
  readonly signal: AbortSignal;
}

interface ShownPost {
  readonly number: number;
  readonly at: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly by: string;
  readonly status: number | null;
}

/** Sluice waits for 5 s. */
const answerTimeoutMs = 5_000;
/** Headers that belong to one connection. */
const ownHeaders = new Set(["host", "connection", "content-length", "transfer-encoding"]);

/** Listens until the signal aborts. */
export async function runListener(options: ListenerOptions): Promise<void> {
  const { sandbox, forwardTo, forwarding, signal } = options;
  const terms = forwardTo === null ? "" : `&forward=${forwarding}`;
  const forwarded: Promise<void>[] = [];
  try {
    let last = readPosts(await sandbox.get(`/posts?wait=no${terms}`, signal)).at(-1)?.number ?? 0;
    options.listening();
    while (!signal.aborted) {
      for (const post of readPosts(await sandbox.get(`/posts?after=${last}${terms}`, signal))) {
        last = post.number;
        if (forwardTo !== null && post.by === "listener") forwarded.push(forward(options, forwardTo, post));
        else show(options, post, post.status, "");
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  await Promise.allSettled(forwarded);
}

/** #2 */
async function forward(options: ListenerOptions, forwardTo: string, post: ShownPost): Promise<void> {
  const startedMs = machineTime.monotonicMs();
  const headers = Object.fromEntries(Object.entries(post.headers).filter(([name]) => !ownHeaders.has(name)));
  const signal = AbortSignal.any([AbortSignal.timeout(answerTimeoutMs), options.signal]);
  const answer = await fetch(`${forwardTo.replace(/\/+$/, "")}${post.path}`, {
    method: "POST",
    headers,
    body: post.body,
    redirect: "manual",
    signal,
  }).catch(() => null);
  await answer?.arrayBuffer().catch(() => null);
  const status = answer?.status ?? null;
  show(options, post, status, `, ${Math.round(machineTime.monotonicMs() - startedMs)} ms`);
  const given = {
    status: status !== null && status >= 200 && status < 600 ? status : null,
    retryAfter: answer?.headers.get("retry-after") ?? null,
  };
  await options.sandbox.post(`/posts/${post.number}/answer`, given).catch(() => null);
}

function show({ out, isJson }: ListenerOptions, post: ShownPost, status: number | null, took: string): void {
  if (isJson) {
    out(JSON.stringify({ ...post, status }));
    return;
  }
  const [, type = ""] = /"type"\s*:\s*"([A-Z][A-Z_]+)"/.exec(post.body) ?? [];
  const [, uetr = ""] = /"(?:tranUetr|uetr)"\s*:\s*"([0-9a-fA-F-]{36})"/.exec(post.body) ?? [];
  const what = [post.path, ...(post.path === "/events" ? [type] : []), uetr].filter((word) => word !== "").join(" ");
  out(`${post.at.slice(11, 19)} ${what} → ${status ?? "no answer"} (${post.by}${took})`);
}

function readPosts(body: Readonly<Record<string, unknown>>): readonly ShownPost[] {
  const { posts } = body;
  // The sandbox is of the same release; what is no list is no sandbox.
  return Array.isArray(posts) ? posts : [];
}
