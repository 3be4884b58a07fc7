// The one address at which Sluice finds the bank and the clearing house of a sandbox.
//
// #1 What is for the bank goes to a listener if there is one; else the simulated bank answers, by the amount.
// #2 No answer means none: the request is left open for longer than Sluice waits.

import { sleep, type Time } from "@sluice/kernel";
import {
  bankServedPaths,
  connectorServedPaths,
  type DeliveredOperation,
  type SimulatedBank,
  type SimulatedConnector,
} from "@sluice/testkit";
import { rulesFor } from "./cases.ts";
import type { ArrivedPost, PostAnswer, Posts } from "./posts.ts";

export interface PartyAddressPorts {
  readonly machine: Time;
  /** The clock of the sandbox. */
  readonly time: Time;
  readonly posts: Posts;
  readonly bank: SimulatedBank;
  readonly connector: SimulatedConnector;
}

/** #2, in milliseconds; Sluice waits for 5 s. */
const silenceMs = 8_000;
const simulatedTimeoutMs = 6_000;

export function createPartyAddress(ports: PartyAddressPorts): { fetch(request: Request): Promise<Response> } {
  return {
    async fetch(request) {
      const { pathname: path } = new URL(request.url);
      const post = {
        at: new Date(ports.time.nowMs()).toISOString(),
        path,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      };
      const { status, retryAfter } = await answerOf(ports, post);
      if (status === null) await sleep(ports.machine, silenceMs, request.signal);
      return new Response(null, { status: status ?? 504, headers: retryAfter === null ? {} : { "retry-after": retryAfter } });
    },
  };
}

/** #1 */
async function answerOf(ports: PartyAddressPorts, post: ArrivedPost): Promise<PostAnswer> {
  const { posts, bank, connector } = ports;
  const [forBank, forConnector] = [bankServedPaths[post.path], connectorServedPaths[post.path]];
  if (forConnector !== undefined) return await simulate(connector, forConnector, post);
  if (forBank === undefined) return { status: 404, retryAfter: null };
  if (posts.isForwarded(post.path)) return await posts.forward(post);
  if (payments.has(forBank)) {
    const { uetr, amount } = readPayment(post.body);
    bank.addRules(rulesFor(amount, uetr, forBank));
  }
  const answer = await simulate(bank, forBank, post);
  posts.record(post, answer.status);
  return answer;
}

/** What a bank has to carry out; all else only informs it. */
const payments: ReadonlySet<DeliveredOperation> = new Set<DeliveredOperation>(["inboundDirectDebit", "inboundCreditTransferAuthorization"]);

type Party = Pick<SimulatedBank, "handle">;

async function simulate(party: Party, operation: DeliveredOperation, post: ArrivedPost): Promise<PostAnswer> {
  const body = new TextEncoder().encode(post.body);
  const answer = await party.handle({ receiverId: "", operation, body, headers: post.headers, timeoutMs: simulatedTimeoutMs });
  return answer.kind === "answered" ? answer : { status: null, retryAfter: null };
}

function readPayment(body: string): { readonly uetr: string; readonly amount: string } {
  const [, uetr = ""] = /"uetr"\s*:\s*"([0-9a-fA-F-]{36})"/.exec(body) ?? [];
  const [, amount = ""] = /"instructedAmount"\s*:\s*\{[^}]*"value"\s*:\s*([0-9.]+)/.exec(body) ?? [];
  return { uetr: uetr.toLowerCase(), amount };
}
