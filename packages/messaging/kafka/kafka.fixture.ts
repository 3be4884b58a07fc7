// The broker for tests of the Kafka adapter, and names of topics and groups that no other run uses.

import { createFreshTopic } from "./conformance.fixture.ts";

const brokers = (process.env["KAFKA_BROKERS"] ?? "").split(",").filter((broker) => broker !== "");
if (brokers.length === 0) {
  throw new Error("KAFKA_BROKERS is not set (host:port, comma separated): these tests run on a real Kafka, `./sluice test` brings one");
}

export const testConnection = { brokers, clientId: "messaging-test" };
let groups = 0;

/** `config`: settings of the topic that differ from those of all tests. */
export async function createTopic(partitions: number, config: Readonly<Record<string, string>> = {}): Promise<string> {
  return await createFreshTopic({ connection: () => testConnection, replication: 1, minInsync: 1 }, partitions, config);
}

export function freshGroup(): string {
  groups += 1;
  return `messaging-test-${process.pid}-${Date.now()}-group-${groups}`;
}
