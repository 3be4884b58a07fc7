// Tests that a hostile bank and a crowd of strangers cost another bank little (I14). Rates are compared only within
// this run.

import { encodeBody, buildDirectDebit } from "@sluice/testkit";
import { Worker } from "node:worker_threads";
import { expect, it, vi } from "vitest";
import type { AttackCounts, AttackOrder } from "./attackers.ts";
import { hostileRequest } from "./hostile-case.ts";
import { startListeningIngress } from "./listening-ingress.fixture.ts";
import { exchangeBytes } from "./raw-http.ts";

const loops = 8;
const phaseMs = 4_000;
const p99MaxMs = 500;
const keptMin = 0.5;
const answeredMin = 0.98;

interface Phase {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** The part of the requests that was answered 202. */
  readonly accepted: number;
}

/** A bank with eight requests under way, each on a connection of its own. */
async function measure(port: number): Promise<Phase> {
  const tookMs: number[] = [];
  let accepted = 0;
  const endMs = performance.now() + phaseMs;
  const loop = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const startedMs = performance.now();
      const { answers } = await exchangeBytes(port, { bytes: hostileRequest() });
      tookMs.push(performance.now() - startedMs);
      if (answers[0]?.status === 202) accepted += 1;
    }
  };
  await Promise.all(Array.from({ length: loops }, loop));
  const sorted = tookMs.toSorted((a, b) => a - b);
  return {
    perSecond: accepted / (phaseMs / 1_000),
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    maxMs: sorted.at(-1) ?? Number.NaN,
    accepted: accepted / tookMs.length,
  };
}

/** A body of 256 KiB with as many values as fit. */
function dearBody(): Uint8Array {
  const text = JSON.stringify(
    JSON.parse(new TextDecoder().decode(encodeBody(buildDirectDebit({ creditorBranch: "250656", debtorBranch: "250656" })))),
  );
  const identifiers = Array.from({ length: 86_000 }, () => "{}").join(",");
  return new TextEncoder().encode(
    text.replace('"creditor":{', `"creditor":{"identification":{"schema":"PERSON","identifiers":[${identifiers}]},`),
  );
}

it("I14: beside a bank with 6 hostile bodies a second and 4,096 strangers, another bank keeps half of its rate and is answered in 500 ms", async () => {
  await using given = await startListeningIngress();
  await measure(given.port);
  const before = await measure(given.port);
  const order: AttackOrder = {
    port: given.port,
    strangers: 4_096,
    againAfterMs: 5_000,
    request: hostileRequest({ party: "second", body: dearBody() }),
    requestsPerSecond: 6,
  };
  const attackers = new Worker(new URL("./attackers.ts", import.meta.url), { workerData: order });
  const counts: AttackCounts[] = [];
  attackers.on("message", (one: AttackCounts) => counts.push(one));
  await vi.waitFor(() => expect(counts.at(-1)?.opened ?? 0).toBeGreaterThan(0.9 * order.strangers), { timeout: 60_000 });
  const answeredBefore = counts.at(-1)?.answered ?? 0;
  const beside = await measure(given.port);
  const answered = (counts.at(-1)?.answered ?? 0) - answeredBefore;
  await attackers.terminate();
  const after = await measure(given.port);
  const show = ({ perSecond, p99Ms, maxMs, accepted }: Phase): string =>
    `${Math.round(perSecond)}/s, p99 ${p99Ms.toFixed(0)} ms, max ${maxMs.toFixed(0)} ms, ${(accepted * 100).toFixed(1)} % accepted`;
  process.stdout.write(`alone ${show(before)}; beside attackers ${show(beside)}; after ${show(after)}\n`);
  expect(answered).toBeGreaterThan(10);
  expect(beside.accepted).toBeGreaterThan(answeredMin);
  expect(beside.perSecond).toBeGreaterThan(keptMin * Math.min(before.perSecond, after.perSecond));
  expect(beside.p99Ms).toBeLessThan(p99MaxMs);
});
