// A process: what a bench compares with. The same bodies and headers, as many at once as there are connections, and nothing else: no log, no store,
// no order. Its one line of output says how long it took.

import { parseArgs } from "node:util";
import { machineTime } from "@sluice/runtime";
import { Pool } from "undici";
import { benchMessage } from "./messages.ts";

const { values } = parseArgs({
  options: {
    origin: { type: "string" },
    path: { type: "string" },
    connections: { type: "string" },
    run: { type: "string" },
    messages: { type: "string" },
  },
});
const { origin = "", path = "/", run = "" } = values;
const connections = Number(values.connections);
const messages = Number(values.messages);
const all = Array.from({ length: messages }, (_, number) => benchMessage(run, number));
const pool = new Pool(origin, { connections, pipelining: 1 });
let next = 0;

async function work(): Promise<void> {
  for (let message = all[next++]; message !== undefined; message = all[next++]) {
    const headers = { "content-type": "application/json", "webhook-id": message.id, "idempotency-key": message.id, "user-agent": "Sluice" };
    const answer = await pool.request({ method: "POST", path, headers, body: message.body });
    if (answer.statusCode !== 202) throw new Error(`the sink answered ${answer.statusCode}`);
    await answer.body.dump();
  }
}

const before = process.cpuUsage();
const startedMs = machineTime.monotonicMs();
await Promise.all(Array.from({ length: connections }, work));
const tookMs = machineTime.monotonicMs() - startedMs;
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${JSON.stringify({ tookMs, processorSeconds: (user + system) / 1_000_000 })}\n`);
await pool.destroy();
