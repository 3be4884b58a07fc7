// Sends messages of banks and a connector from a thread of its own, so that generating them does not delay ingress. The
// messages are valid, or have one mistake each. They are generated from a seed and sent over real HTTP.

import { parseJson, type Json } from "@sluice/contracts";
import {
  anyCreditTransfer,
  anyDirectDebit,
  anyRefused,
  anyStatusReport,
  encodeJson,
  changeMember,
  requiredMembers,
  type RefusedMessage,
} from "@sluice/contracts/messages.fixture";
import { sampleToken } from "@sluice/testkit";
import * as fc from "fast-check";
import { setTimeout } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { type Dispatcher, Pool } from "undici";

export interface SendOrder {
  readonly url: string;
  readonly kind: "good" | "mistaken";
  readonly count: number;
  readonly seed: number;
}

export interface SenderReport {
  readonly count: number;
  /** Requests with an unexpected answer, at most a few. */
  readonly wrong: readonly string[];
  /** Milliseconds of sending, without the time to generate the messages. */
  readonly sendingMs: number;
  /** The UETRs of valid messages. */
  readonly uetrs: readonly string[];
}

const batch = 250;
const inFlight = 32;
const wrongMax = 5;
const attemptsMax = 10;
const retryAfterMs = 500;
const order: SendOrder = workerData;
const { seed } = order;

interface Sort {
  readonly path: string;
  readonly party: string;
  readonly good: fc.Arbitrary<Json>;
  readonly required: readonly string[];
  /** The share of the messages, in tenths. */
  readonly share: number;
}

const ours: Json = { memberId: "250655", branch: { identification: "250655" } };

/** Replaces the agents that ingress looks up in its configuration, and keeps the rest as generated. */
function fitting(messages: fc.Arbitrary<Json>, ...agents: readonly string[]): fc.Arbitrary<Json> {
  return messages.map((message) => agents.reduce((json, agent) => changeMember(json, [agent], ours), message));
}

const debitReport = anyStatusReport.map((report) => changeMember(report, ["paymentScheme", "schema"], "ZA_EFT"));
const sorts: readonly Sort[] = [
  {
    path: "/transactions/outbound/direct-debit",
    party: "first",
    good: fitting(anyDirectDebit, "creditorAgent", "debtorAgent"),
    required: requiredMembers.DirectDebit,
    share: 4,
  },
  {
    path: "/scheme/inbound/direct-debit",
    party: "clearing",
    good: fitting(anyDirectDebit, "debtorAgent"),
    required: requiredMembers.DirectDebit,
    share: 1,
  },
  {
    path: "/scheme/inbound/credit-transfer-authorisation",
    party: "clearing",
    good: fitting(anyCreditTransfer, "creditorAgent"),
    required: requiredMembers.CreditTransfer,
    share: 2,
  },
  {
    path: "/transactions/inbound/direct-debit-response",
    party: "second",
    good: debitReport,
    required: requiredMembers.PaymentStatusReport,
    share: 2,
  },
  {
    path: "/transactions/inbound/credit-transfer-authorisation-response",
    party: "first",
    good: anyStatusReport,
    required: requiredMembers.PaymentStatusReport,
    share: 1,
  },
];

interface PreparedRequest {
  readonly sort: Sort;
  readonly bytes: Uint8Array;
  readonly expected: number;
  readonly what: string;
}

function* batches<T>(
  arbitraryOf: (sort: Sort) => fc.Arbitrary<T>,
  prepare: (sort: Sort, value: T) => PreparedRequest,
): Generator<readonly PreparedRequest[]> {
  for (const sort of sorts) {
    const count = (order.count * sort.share) / 10;
    for (let done = 0; done < count; done += batch) {
      const values = fc.sample(arbitraryOf(sort), { numRuns: Math.min(batch, count - done), seed: seed + done });
      yield values.map((value) => prepare(sort, value));
    }
  }
}

async function sendAll(all: Iterable<readonly PreparedRequest[]>): Promise<Omit<SenderReport, "uetrs">> {
  await using stack = new AsyncDisposableStack();
  const pool = new Pool(order.url, { connections: inFlight, pipelining: 1 });
  stack.defer(() => pool.destroy());
  const end = { count: 0, wrong: [] as string[], sendingMs: 0 };
  for (const some of all) {
    const startedMs = performance.now();
    const left = some.values();
    await Promise.all(Array.from({ length: inFlight }, () => sendEach(pool, left, end.wrong)));
    end.sendingMs += performance.now() - startedMs;
    end.count += some.length;
    if (end.wrong.length > 0) break;
  }
  return end;
}

async function sendEach(pool: Pool, left: Iterator<PreparedRequest> & Iterable<PreparedRequest>, wrong: string[]): Promise<void> {
  for (const { sort, bytes, expected, what } of left) {
    const headers = { authorization: `Bearer ${sampleToken(sort.party)}`, "content-type": "application/json" };
    const { status, text } = await post(pool, { method: "POST", path: sort.path, headers, body: bytes });
    const isDetailed = expected === 202 ? text === "" : text.startsWith('{"schema":"ErrorDetail",');
    if ((status === expected && isDetailed) || wrong.length >= wrongMax) continue;
    wrong.push(`seed ${seed}: ${sort.path}: ${what}: ${status} ${text} to ${Buffer.from(bytes).toString().slice(0, 1_000)}`);
  }
}

/** Where ingress is too busy, it answers 503 within a second and stores nothing. So a caller sends again. */
async function post(pool: Pool, request: Dispatcher.RequestOptions): Promise<{ readonly status: number; readonly text: string }> {
  for (let attempt = 1; ; attempt += 1) {
    const { statusCode, body } = await pool.request(request);
    const text = await body.text();
    if (statusCode !== 503 || attempt === attemptsMax) return { status: statusCode, text };
    await setTimeout(retryAfterMs);
  }
}

function readUetr(bytes: Uint8Array): string {
  const reading = parseJson(bytes);
  const text = JSON.stringify(reading.ok ? reading.value : null, (_, value: unknown) => (typeof value === "symbol" ? null : value));
  return /"uetr":"([^"]+)"/.exec(text)?.[1]?.toLowerCase() ?? "";
}

function good(sort: Sort, message: Json): PreparedRequest {
  const bytes = encodeJson(message);
  uetrs.push(readUetr(bytes));
  return { sort, bytes, expected: 202, what: "a good message" };
}

function mistaken(sort: Sort, { mistake, status, bytes }: RefusedMessage): PreparedRequest {
  return { sort, bytes, expected: status, what: mistake };
}

const uetrs: string[] = [];
const goods = batches((sort) => sort.good, good);
const mistakens = batches((sort) => anyRefused(sort.good, sort.required), mistaken);
const end: SenderReport = { ...(await sendAll(order.kind === "good" ? goods : mistakens)), uetrs };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(end);
