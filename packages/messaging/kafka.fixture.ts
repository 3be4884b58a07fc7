// The broker that tests of the Kafka adapter run on, and names that no other run has.

import { silentLog } from "@sluice/telemetry";
import { provisionTopics } from "./provision-topics.ts";

const brokers = (process.env["KAFKA_BROKERS"] ?? "").split(",").filter((broker) => broker !== "");
if (brokers.length === 0) {
  throw new Error("KAFKA_BROKERS is not set (host:port, comma separated): these tests run on a real Kafka, `./sluice test` brings one");
}

export const connection = { brokers, clientId: "messaging-test" };
let topics = 0;
let groups = 0;

export async function createTopic(partitions: number): Promise<string> {
  topics += 1;
  const topic = `messaging-test-${process.pid}-${Date.now()}-${topics}`;
  const config = { "message.timestamp.type": "LogAppendTime" };
  await provisionTopics({ connection, specs: [{ topic, partitions, replication: 1, config }], log: silentLog });
  return topic;
}

export function freshGroup(): string {
  groups += 1;
  return `messaging-test-${process.pid}-${Date.now()}-group-${groups}`;
}
