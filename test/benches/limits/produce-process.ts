// The process that ingress is compared with as to its log: it appends the bodies of the same debits, each by a send of
// its own, as many at once as ingress has connections. It prints one line, the time that it took.

import { parseArgs } from "node:util";
import { partitionCountDefault, partitionFor, topics } from "@sluice/contracts";
import { machineTime, silentLogger } from "@sluice/kernel";
import { createKafkaMessaging } from "@sluice/messaging";
import { createDebits } from "./debits.ts";

const { values } = parseArgs({
  options: {
    brokers: { type: "string" },
    branch: { type: "string" },
    run: { type: "string" },
    records: { type: "string" },
    concurrency: { type: "string" },
  },
});
const { brokers = "", branch = "", run = "0", records = "0", concurrency = "1" } = values;
const connection = { brokers: brokers.split(","), clientId: "bench-produce" };
const messaging = createKafkaMessaging({ connection, time: machineTime, logger: silentLogger, busyLingerMaxMs: 10 });
const producer = await messaging.producer("bench-produce");
const debits = createDebits(Number(run), branch, new Date(machineTime.nowMs()).toISOString());
let next = 0;

async function work(): Promise<void> {
  while (next < Number(records)) {
    const { uetr, body } = debits(next++);
    const key = Buffer.from(uetr);
    await producer.send([{ topic: topics.events, partition: partitionFor(key, partitionCountDefault), key, value: body, headers: {} }]);
  }
}

const before = process.cpuUsage();
const startedMs = machineTime.monotonicMs();
await Promise.all(Array.from({ length: Number(concurrency) }, work));
const tookMs = machineTime.monotonicMs() - startedMs;
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${JSON.stringify({ tookMs, processorSeconds: (user + system) / 1_000_000 })}\n`);
await messaging.close();
