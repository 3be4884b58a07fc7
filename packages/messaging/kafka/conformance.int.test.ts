// The Kafka adapter on a real broker keeps the promises of the port.

import kafkajs from "kafkajs";
import { machineTime, silentLogger } from "@sluice/kernel";
import { afterAll, beforeAll } from "vitest";
import { describeMessaging } from "../conformance/conformance.ts";
import { createKafkaMessaging } from "./messaging.ts";
import { testConnection, createTopic } from "./kafka.fixture.ts";

const admin = new kafkajs.Kafka({ ...testConnection, logLevel: kafkajs.logLevel.NOTHING }).admin();

beforeAll(async () => admin.connect());
afterAll(async () => admin.disconnect());

describeMessaging(async () => {
  const created: string[] = [];
  return {
    client: () => createKafkaMessaging({ connection: testConnection, time: machineTime, logger: silentLogger }),
    createTopic: async (partitions) => {
      const topic = await createTopic(partitions);
      created.push(topic);
      return topic;
    },
    truncate: async ({ topic, partition }, before) => {
      // kafkajs must load the topic's leaders before it can delete records.
      await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: before.toString() }] });
    },
    heartbeatAgeMaxMs: 3000,
    close: async () => admin.deleteTopics({ topics: created }),
  };
});
