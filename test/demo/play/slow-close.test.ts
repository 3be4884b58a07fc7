import { once } from "node:events";
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { createMemoryStore } from "@sluice/store";
import { machineTime } from "@sluice/kernel";
import { seededRandom } from "@sluice/testkit";
import { planDemoDay } from "../plan/day.ts";
import { extendWhileSlow } from "./slow-close.ts";

const silent = { say: () => {}, act: () => {}, awaits: () => {}, stop: () => {}, recorder: (_: unknown, inner: never) => inner };

/** A console that takes every decision; and a day of which nothing comes through. */
async function playSlow(transactions: "all" | "none") {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      bodies.push(JSON.parse(Buffer.concat(parts).toString()));
      response.writeHead(202).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const planned = planDemoDay(seededRandom(1), 1, 0);
  const day = transactions === "all" ? planned : { ...planned, transactions: [] };
  const nowMs = machineTime.nowMs();
  const closing = { opensAtMs: nowMs - 9_000, closesAtMs: nowMs + 2_600, reconciliationAtMs: nowMs + 4_000 };
  const times = { zone: "+02:00", businessDate: "2026-11-27", cutOffMs: 1, ...closing };
  const stopping = new AbortController();
  const said: string[] = [];
  const narrator = { ...silent, say: (_: string, what: string) => void (said.push(what), said.length === 1 && stopping.abort()) };
  const operators = [{ id: "thandi", name: "Thandi", roles: ["act"] as const, token: "t" }];
  const store = createMemoryStore({ time: machineTime, random: seededRandom(2) });
  const ports = { time: machineTime, operators, controlUrl: `http://127.0.0.1:${port}`, signal: new AbortController().signal };
  const running = extendWhileSlow({ ...ports, day, narrator, store, signal: stopping.signal }, times);
  const problems = await running;
  server.close();
  return { bodies, said, times, problems, closing };
}

test("a day that is not through is extended: first its reconciliation, then its window, and the demo says so", async () => {
  const { said, times, closing } = await playSlow("all");
  expect(said[0]).toMatch(/^this machine is slow: \d+ are not through, and Thandi extends the close by 10 s$/);
  expect([times.closesAtMs - closing.closesAtMs, times.reconciliationAtMs - closing.reconciliationAtMs]).toEqual([10_000, 10_000]);
});

test("a day that is through is not extended", async () => {
  const { said, bodies, times, closing } = await playSlow("none");
  expect([said, bodies, times.closesAtMs]).toEqual([[], [], closing.closesAtMs]);
});
