// Tests that one caller's flood does not slow another caller (I14). Times are compared only within this run.

import { encodeBody, buildDirectDebit, sampleBank } from "@sluice/testkit";
import { Worker } from "node:worker_threads";
import { expect, it, vi } from "vitest";
import type { FloodCounts, FloodOrder } from "./flooder.ts";
import { startListeningIngress, interfaceConfiguration } from "./listening-ingress.fixture.ts";
import { hostileRequest } from "./hostile-case.ts";
import { exchangeBytes } from "./raw-http.ts";

const asked = 150;
const slowerMax = 6;
/** The limits of the bank that floods; low, so that even a slow machine exceeds them. */
const limits = { requestsPerSecond: 100, inboundConnections: 64 };
const configuration = {
  ...interfaceConfiguration,
  banks: [sampleBank({ id: "first" }), sampleBank({ id: "second", branch: "250656", ...limits })],
};

/** Returns the median time that a caller waits who sends one message after the other. */
async function medianMs(port: number): Promise<number> {
  const tookMs: number[] = [];
  for (let count = 0; count < asked; count += 1) {
    const startedMs = performance.now();
    const { answers } = await exchangeBytes(port, { bytes: hostileRequest() });
    tookMs.push(performance.now() - startedMs);
    expect(answers[0]?.status).toBe(202);
  }
  return tookMs.toSorted((a, b) => a - b)[Math.floor(asked / 2)] ?? Number.NaN;
}

it("I14: a bank that floods ingress gets its share and 429, and another bank is served as fast as before [D10.79]", async () => {
  await using given = await startListeningIngress({ configuration });
  await medianMs(given.port);
  const quietMs = await medianMs(given.port);
  const body = encodeBody(buildDirectDebit({ creditorBranch: "250656", debtorBranch: "250656" }));
  const order: FloodOrder = { port: given.port, connections: 96, request: hostileRequest({ party: "second", body }) };
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
