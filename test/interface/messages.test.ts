// 10,000 good messages and 10,000 with one mistake each, through real HTTP. All are generated from the seed that is printed.

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
import { Pool } from "undici";
import { expect, it } from "vitest";
import { givenIngress } from "./given.ts";

const countMax = 10_000;
const batch = 500;
const inFlight = 32;
const seed = Number(process.env["SLUICE_SEED"] ?? 20_261_120);

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
    const count = (countMax * sort.share) / 10;
    for (let done = 0; done < count; done += batch) {
      const values = fc.sample(arbitraryOf(sort), { numRuns: Math.min(batch, count - done), seed: seed + done });
      yield values.map((value) => asked(sort, value));
    }
  }
}

/** What was not answered as expected, at most a few of them, and the time that it took without making the messages. */
async function sendAll(url: string, all: Iterable<readonly Asked[]>): Promise<{ count: number; wrong: string[]; sendingMs: number }> {
  await using stack = new AsyncDisposableStack();
  const pool = new Pool(url, { connections: inFlight, pipelining: 1 });
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
    if (answer.statusCode === expected && isDetailed) continue;
    wrong.push(`seed ${seed}: ${sort.path}: ${what}: ${answer.statusCode} ${text} to ${Buffer.from(bytes).toString().slice(0, 2_000)}`);
  }
}

function uetrOf(bytes: Uint8Array): string {
  const reading = parseJson(bytes);
  const text = JSON.stringify(reading.ok ? reading.value : null, (_, value: unknown) => (typeof value === "symbol" ? null : value));
  return /"uetr":"([^"]+)"/.exec(text)?.[1]?.toLowerCase() ?? "";
}

it("I1: 10,000 generated messages are accepted and each is in the journal once [8 ack-202]", async () => {
  await using given = await givenIngress();
  const uetrs: string[] = [];
  const sent = await sendAll(
    given.url,
    batches(
      ({ good }) => good,
      (sort, message) => {
        const bytes = bytesOf(message);
        uetrs.push(uetrOf(bytes));
        return { sort, bytes, expected: 202, what: "a good message" };
      },
    ),
  );
  process.stdout.write(`${sent.count} good messages sent in ${Math.round(sent.sendingMs)} ms\n`);
  expect(sent.wrong).toEqual([]);
  expect(sent.count).toBe(countMax);
  const stored = given
    .journal()
    .map(({ value }) => JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? `${member}` : member)));
  const storedUetrs = stored.map((text) => /"uetr":"([^"]+)"/.exec(text)?.[1]?.toLowerCase() ?? "");
  expect(storedUetrs.toSorted()).toEqual(uetrs.toSorted());
});

it("I2: 10,000 messages with one mistake each are refused with the 4xx of the mistake, and nothing is stored", async () => {
  await using given = await givenIngress();
  const refused = (sort: Sort): fc.Arbitrary<RefusedMessage> => anyRefused(sort.good, sort.required);
  const sent = await sendAll(
    given.url,
    batches(refused, (sort, { mistake, status, bytes }) => ({ sort, bytes, expected: status, what: mistake })),
  );
  process.stdout.write(`${sent.count} messages with a mistake sent in ${Math.round(sent.sendingMs)} ms\n`);
  expect(sent.wrong).toEqual([]);
  expect(sent.count).toBe(countMax);
  expect(given.journal()).toEqual([]);
});
