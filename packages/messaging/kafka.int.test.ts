import kafkajs from "kafkajs";
import { machineTime } from "@sluice/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeMessaging, silentLog } from "./conformance.ts";
import { createKafkaMessaging } from "./kafka-messaging.ts";

// The Kafka adapter on a real broker. Letters are the rows of the trouble table in README.md.

const brokers = (process.env["KAFKA_BROKERS"] ?? "").split(",").filter((broker) => broker !== "");
if (brokers.length === 0) {
  throw new Error("KAFKA_BROKERS is not set (host:port, comma separated): these tests run on a real Kafka, `./sluice test` brings one");
}

const connection = { brokers, clientId: "messaging-test" };
const kafka = new kafkajs.Kafka({ ...connection, logLevel: kafkajs.logLevel.NOTHING });
const admin = kafka.admin();
let topics = 0;

beforeAll(async () => admin.connect());
afterAll(async () => admin.disconnect());

async function createTopic(partitions: number): Promise<string> {
  topics += 1;
  const topic = `messaging-test-${process.pid}-${Date.now()}-${topics}`;
  const configEntries = [{ name: "message.timestamp.type", value: "LogAppendTime" }];
  await admin.createTopics({ topics: [{ topic, numPartitions: partitions, replicationFactor: 1, configEntries }] });
  return topic;
}

describeMessaging(async () => {
  const created: string[] = [];
  return {
    client: () => createKafkaMessaging({ connection, time: machineTime, log: silentLog }),
    createTopic: async (partitions) => {
      const topic = await createTopic(partitions);
      created.push(topic);
      return topic;
    },
    truncate: async ({ topic, partition }, before) => {
      // Makes kafkajs load the topic's leaders, which deleting needs.
      await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: before.toString() }] });
    },
    heartbeatAgeMaxMs: 3000,
    close: async () => admin.deleteTopics({ topics: created }),
  };
});

describe("kafkajs", () => {
  test("x", () => expect(1).toBe(1));
});
