// The process that the scheduler is compared with: it consumes the journal once and writes each record's bytes in bulks
// to the store, with no state, no rules and no order. It prints one line when all is written, and goes on consuming
// until its input ends, so that its idle cost can be measured.

import { parseArgs } from "node:util";
import { topics } from "@sluice/contracts";
import { machineTime, silentLogger } from "@sluice/kernel";
import { createKafkaMessaging, type ReceivedRecord } from "@sluice/messaging";
import { MongoClient } from "mongodb";

const { values } = parseArgs({
  options: {
    brokers: { type: "string" },
    mongo: { type: "string" },
    database: { type: "string" },
    records: { type: "string" },
  },
});
const { brokers = "", mongo = "", database = "", records = "0" } = values;
const bulkRecordsMax = 1_000;

const client = await MongoClient.connect(mongo);
const written = client.db(database).collection<{ _id: string; value: Uint8Array }>("bench");
const messaging = createKafkaMessaging({
  connection: { brokers: brokers.split(","), clientId: "bench-consume" },
  time: machineTime,
  logger: silentLogger,
});
const waiting: ReceivedRecord[] = [];
let wake: () => void = () => undefined;
let first: { readonly atMs: number; readonly usage: NodeJS.CpuUsage } | null = null;

await messaging.consumer({
  group: `bench-consume-${database}`,
  topics: [topics.journal],
  handlers: {
    assigned: (_partition, _epoch, { logStart }) => Promise.resolve(logStart),
    handOver: () => Promise.resolve(),
    revoked: () => undefined,
    unreadable: () => Promise.resolve("read-again"),
    failed: (reason) => {
      throw reason;
    },
    records(_partition, _epoch, received) {
      first ??= { atMs: machineTime.monotonicMs(), usage: process.cpuUsage() };
      for (const one of received) waiting.push(one);
      wake();
    },
  },
});

let done = 0;
while (done < Number(records)) {
  if (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
  const bulk = waiting.splice(0, bulkRecordsMax);
  const inserts = bulk.map(({ partition, offset, value }) => {
    return { insertOne: { document: { _id: `${partition}/${offset}`, value: value ?? new Uint8Array() } } };
  });
  await written.bulkWrite(inserts, { ordered: false });
  done += bulk.length;
}
const { atMs, usage } = first ?? { atMs: 0, usage: process.cpuUsage() };
const tookMs = machineTime.monotonicMs() - atMs;
const { user, system } = process.cpuUsage(usage);
process.stdout.write(`${JSON.stringify({ tookMs, processorSeconds: (user + system) / 1_000_000 })}\n`);
process.stdin
  .on("end", () => {
    void messaging.close().then(() => process.exit(0));
  })
  .resume();
