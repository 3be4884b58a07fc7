// Banks and a connector on a thread of their own, so that making messages does not hold ingress up: good messages, or messages with one
// mistake each, generated from a seed and sent through real HTTP.

import { parseJson, type Json } from "@sluice/contracts";
import {
  anyCreditTransfer,
  anyDirectDebit,
  anyRefused,
  anyStatusReport,
  bytesOf,
  changed,
  requiredOf,
  type RefusedMessage,
} from "@sluice/contracts/given-messages";
import { sampleToken } from "@sluice/testkit";
import * as fc from "fast-check";
import { parentPort, workerData } from "node:worker_threads";
import { Pool } from "undici";

export interface SendOrder {
  readonly url: string;
  readonly kind: "good" | "mistaken";
  readonly count: number;
  readonly seed: number;
}

export interface SendEnd {
  readonly count: number;
  /** What was not answered as expected, at most a few. */
  readonly wrong: readonly string[];
  /** Without the time that making them took. */
  readonly sendingMs: number;
  /** Of good messages. */
  readonly uetrs: readonly string[];
}

const batch = 250;
const inFlight = 32;
const wrongMax = 5;
const order: SendOrder = workerData;
const { seed } = order;

interface Sort {
  readonly path: string;
  readonly party: string;
  readonly good: fc.Arbitrary<Json>;
  readonly required: readonly string[];
  /** Of 10. */
  readonly share: number;
}

const ours: Json = { memberId: "250655", branch: { identification: "250655" } };

/** What ingress looks up in its configuration is made to fit; all else is as generated. */
function fitting(messages: fc.Arbitrary<Json>, ...agents: readonly string[]): fc.Arbitrary<Json> {
  return messages.map((message) => agents.reduce((json, agent) => changed(json, [agent], ours), message));
}

const debitReport = anyStatusReport.map((report) => changed(report, ["paymentScheme", "schema"], "ZA_EFT"));
const sorts: readonly Sort[] = [
  {
    path: "/transactions/outbound/direct-debit",
    party: "first",
    good: fitting(anyDirectDebit, "creditorAgent", "debtorAgent"),
    required: requiredOf.DirectDebit,
    share: 4,
  },
  {
    path: "/scheme/inbound/direct-debit",
    party: "clearing",
    good: fitting(anyDirectDebit, "debtorAgent"),
    required: requiredOf.DirectDebit,
    share: 1,
  },
  {
    path: "/scheme/inbound/credit-transfer-authorisation",
    party: "clearing",
    good: fitting(anyCreditTransfer, "creditorAgent"),
    required: requiredOf.CreditTransfer,
    share: 2,
  },
  {
    path: "/transactions/inbound/direct-debit-response",
    party: "second",
    good: debitReport,
    required: requiredOf.PaymentStatusReport,
    share: 2,
  },
  {
    path: "/transactions/inbound/credit-transfer-authorisation-response",
    party: "first",
    good: anyStatusReport,
    required: requiredOf.PaymentStatusReport,
    share: 1,
  },
];

interface Asked {
  readonly sort: Sort;
  readonly bytes: Uint8Array;
  readonly expected: number;
  readonly what: string;
}

function* batches<T>(arbitraryOf: (sort: Sort) => fc.Arbitrary<T>, asked: (sort: Sort, value: T) => Asked): Generator<readonly Asked[]> {
  for (const sort of sorts) {
    const count = (order.count * sort.share) / 10;
    for (let done = 0; done < count; done += batch) {
      const values = fc.sample(arbitraryOf(sort), { numRuns: Math.min(batch, count - done), seed: seed + done });
      yield values.map((value) => asked(sort, value));
    }
  }
}

async function sendAll(all: Iterable<readonly Asked[]>): Promise<Omit<SendEnd, "uetrs">> {
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

async function sendEach(pool: Pool, left: Iterator<Asked> & Iterable<Asked>, wrong: string[]): Promise<void> {
  for (const { sort, bytes, expected, what } of left) {
    const headers = { authorization: `Bearer ${sampleToken(sort.party)}`, "content-type": "application/json" };
    const answer = await pool.request({ method: "POST", path: sort.path, headers, body: bytes });
    const text = await answer.body.text();
    const isDetailed = expected === 202 ? text === "" : text.startsWith('{"schema":"ErrorDetail",');
    if ((answer.statusCode === expected && isDetailed) || wrong.length >= wrongMax) continue;
    wrong.push(`seed ${seed}: ${sort.path}: ${what}: ${answer.statusCode} ${text} to ${Buffer.from(bytes).toString().slice(0, 1_000)}`);
  }
}

function uetrOf(bytes: Uint8Array): string {
  const reading = parseJson(bytes);
  const text = JSON.stringify(reading.ok ? reading.value : null, (_, value: unknown) => (typeof value === "symbol" ? null : value));
  return /"uetr":"([^"]+)"/.exec(text)?.[1]?.toLowerCase() ?? "";
}

function good(sort: Sort, message: Json): Asked {
  const bytes = bytesOf(message);
  uetrs.push(uetrOf(bytes));
  return { sort, bytes, expected: 202, what: "a good message" };
}

function mistaken(sort: Sort, { mistake, status, bytes }: RefusedMessage): Asked {
  return { sort, bytes, expected: status, what: mistake };
}

const uetrs: string[] = [];
const goods = batches((sort) => sort.good, good);
const mistakens = batches((sort) => anyRefused(sort.good, sort.required), mistaken);
const end: SendEnd = { ...(await sendAll(order.kind === "good" ? goods : mistakens)), uetrs };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(end);
