// The broker for tests of the Kafka adapter, and names of topics and groups that no other run uses.

import { silentLogger } from "@sluice/kernel";
import { provisionTopics } from "../topics/provision-topics.ts";

const brokers = (process.env["KAFKA_BROKERS"] ?? "").split(",").filter((broker) => broker !== "");
if (brokers.length === 0) {
  throw new Error("KAFKA_BROKERS is not set (host:port, comma separated): these tests run on a real Kafka, `./sluice test` brings one");
}

export const testConnection = { brokers, clientId: "messaging-test" };
let topics = 0;
let groups = 0;

export async function createTopic(partitions: number): Promise<string> {
  topics += 1;
  const topic = `messaging-test-${process.pid}-${Date.now()}-${topics}`;
  const config = { "message.timestamp.type": "LogAppendTime" };
  await provisionTopics({ connection: testConnection, specs: [{ topic, partitions, replication: 1, config }], logger: silentLogger });
  return topic;
}

export function freshGroup(): string {
  groups += 1;
  return `messaging-test-${process.pid}-${Date.now()}-group-${groups}`;
}
