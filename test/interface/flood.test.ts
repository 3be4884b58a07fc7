// I14: one caller's flood is not another's trouble. Times are compared within this run alone.

import { bodyOf, directDebit, sampleBank } from "@sluice/testkit";
import { Worker } from "node:worker_threads";
import { expect, it, vi } from "vitest";
import type { FloodCounts, FloodOrder } from "./flooder.ts";
import { givenIngress, interfaceConfiguration } from "./given.ts";
import { request } from "./hostile-case.ts";
import { exchange } from "./raw-http.ts";

const asked = 150;
const slowerMax = 6;
/** Of the bank that floods; low, so that a slow machine is asked for more than that too. */
const limits = { requestsPerSecond: 100, inboundConnections: 64 };
const configuration = {
  ...interfaceConfiguration,
  banks: [sampleBank({ id: "first" }), sampleBank({ id: "second", branch: "250656", ...limits })],
};

/** Median of the times that a caller waits that sends one message after the other. */
async function medianMs(port: number): Promise<number> {
  const tookMs: number[] = [];
  for (let count = 0; count < asked; count += 1) {
    const startedMs = performance.now();
    const { answers } = await exchange(port, { bytes: request() });
    tookMs.push(performance.now() - startedMs);
    expect(answers[0]?.status).toBe(202);
  }
  return tookMs.toSorted((a, b) => a - b)[Math.floor(asked / 2)] ?? Number.NaN;
}

it("I14: a bank that floods ingress gets its share and 429, and another bank is served as before", async () => {
  await using given = await givenIngress({ configuration });
  await medianMs(given.port);
  const quietMs = await medianMs(given.port);
  const body = bodyOf(directDebit({ creditorBranch: "250656", debtorBranch: "250656" }));
  const order: FloodOrder = { port: given.port, connections: 96, request: request({ party: "second", body }) };
  const flood = new Worker(new URL("./flooder.ts", import.meta.url), { workerData: order });
  const counts: FloodCounts[] = [];
  flood.on("message", (one: FloodCounts) => counts.push(one));
  await vi.waitFor(() => expect(counts.at(-1)?.refused ?? 0).toBeGreaterThan(100), { timeout: 30_000 });
  const [before, beforeMs] = [counts.at(-1), performance.now()];
  const floodedMs = await medianMs(given.port);
  const accepted = (): number => (counts.at(-1)?.accepted ?? 0) - (before?.accepted ?? 0);
  await vi.waitFor(() => expect(accepted()).toBeGreaterThan(5 * limits.requestsPerSecond), { timeout: 60_000 });
  const ratePerSecond = accepted() / ((performance.now() - beforeMs) / 1_000);
  await flood.terminate();
  const rounded = [quietMs, floodedMs].map((ms) => ms.toFixed(1));
  process.stdout.write(
    `median ${rounded[0]} ms alone, ${rounded[1]} ms beside a flood that gets ${Math.round(ratePerSecond)} a second through\n`,
  );
  expect(ratePerSecond).toBeLessThan(1.5 * limits.requestsPerSecond);
  expect(floodedMs).toBeLessThan(slowerMax * Math.max(quietMs, 1));
});
