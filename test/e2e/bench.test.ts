// Tests that the benches run and report all their figures. The values depend on the machine and are not tested.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const cli = fileURLToPath(new URL("../../packages/cli/main.ts", import.meta.url));
const spread = { median: expect.any(Number), least: expect.any(Number), most: expect.any(Number) };
/** Takes longer than the bench's first look, so that processor time is measured. */
const messages = 4_000;
const latency = { p50: expect.any(Number), p99: expect.any(Number), most: expect.any(Number) };
const machine = { cores: expect.any(Number), processor: expect.any(String), node: process.versions.node };

test("both benches run to their end, and their JSON has its shape", async () => {
  const [deliveries, journeys] = await Promise.all([
    bench(["delivery", "--service", "event-publisher", "--messages", String(messages), "--rounds", "1"]),
    bench(["journeys", "--rate", "5", "--seconds", "1"]),
  ]);
  expect(deliveries).toMatchObject({
    isRight: true,
    problems: [],
    machine,
    messages,
    bodyBytes: 1_450,
    bareLoop: { requestsPerSecond: spread, processorSecondsPer1000: spread },
    services: [
      {
        service: "event-publisher",
        deliveriesPerSecond: spread,
        ratio: spread,
        parked: expect.any(Object),
        processorSecondsPer1000: { "event-publisher": spread, kafka: spread, sink: spread, all: spread },
      },
    ],
  });
  expect(journeys).toMatchObject({
    isRight: true,
    problems: [],
    machine,
    steps: [
      {
        ratePerSecond: 5,
        started: 5,
        accepted: 5,
        reported: 5,
        completed: 5,
        isSustained: expect.any(Boolean),
        completedPerSecond: expect.any(Number),
        untilReportMs: latency,
        untilCompletedMs: latency,
        processorMicrosPerJourney: { ingress: expect.any(Number), scheduler: expect.any(Number), all: expect.any(Number) },
      },
    ],
  });
});

test("the bench of the console fills a store, asks each page, and its JSON has its shape", async () => {
  const report = await bench(["console", "--transactions", "1000", "--rounds", "1"]);
  expect(report).toMatchObject({
    isRight: true,
    problems: [],
    machine,
    transactions: 1_000,
    rounds: 1,
    filledInMs: expect.any(Number),
    goal: { page: "/", belowMs: 200, isReached: expect.any(Boolean) },
    load: [expect.any(Number), expect.any(Number)],
  });
  const page = { firstMs: expect.any(Number), medianMs: expect.any(Number), worstMs: expect.any(Number), refused: [] };
  expect(report).toMatchObject({
    pages: expect.arrayContaining(["/", "/banks", "/reconciliation"].map((path) => ({ path, ...page, bytes: expect.any(Number) }))),
  });
});

async function bench(words: readonly string[]): Promise<unknown> {
  const child = spawn(process.execPath, [cli, "bench", ...words, "--json"], { stdio: ["ignore", "pipe", "pipe"] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  expect({ code, stderr: code === 0 ? "" : Buffer.concat(err).toString().slice(-4_000) }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(Buffer.concat(out).toString());
}
