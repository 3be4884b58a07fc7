// The process that a bench compares services with. It sends the same bodies and headers over the same number of
// connections, and does nothing else: no broker, no store, no order. It prints one line, the time that it took.

import { parseArgs } from "node:util";
import { machineTime } from "@sluice/kernel";
import { Pool } from "undici";
import { bankToken, benchMessage, buildTraceparent, type BenchMessage } from "../messages.ts";

const { values } = parseArgs({
  options: {
    origin: { type: "string" },
    path: { type: "string" },
    connections: { type: "string" },
    run: { type: "string" },
    service: { type: "string" },
    messages: { type: "string" },
  },
});
const { origin = "", path = "/", run = "", service } = values;
const connections = Number(values.connections);
const messages = Number(values.messages);
const all = Array.from({ length: messages }, (_, number) => benchMessage(run, number));
const pool = new Pool(origin, { connections, pipelining: 1 });
let next = 0;

async function work(): Promise<void> {
  for (let message = all[next++]; message !== undefined; message = all[next++]) {
    const headers = buildHeaders(message);
    const answer = await pool.request({ method: "POST", path, headers, body: message.body });
    if (answer.statusCode !== 202) throw new Error(`the sink answered ${answer.statusCode}`);
    await answer.body.dump();
  }
}

/** Builds the headers that the compared service sends. */
function buildHeaders(message: BenchMessage): Record<string, string> {
  const { id, place } = message;
  return {
    ...(service === "event-publisher" ? { "sluice-sequence": String(place), "sluice-previous-id": id } : {}),
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(machineTime.nowMs() / 1_000)),
    "idempotency-key": id,
    "user-agent": "Sluice",
    traceparent: buildTraceparent(message),
    authorization: `Bearer ${bankToken}`,
  };
}

const before = process.cpuUsage();
const startedMs = machineTime.monotonicMs();
await Promise.all(Array.from({ length: connections }, work));
const tookMs = machineTime.monotonicMs() - startedMs;
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${JSON.stringify({ tookMs, processorSeconds: (user + system) / 1_000_000 })}\n`);
await pool.destroy();
