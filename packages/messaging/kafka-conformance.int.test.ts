// The Kafka adapter on a real broker keeps what the port promises.

import kafkajs from "kafkajs";
import { machineTime } from "@sluice/runtime";
import { silentLog } from "@sluice/telemetry";
import { afterAll, beforeAll } from "vitest";
import { describeMessaging } from "./conformance.ts";
import { createKafkaMessaging } from "./kafka-messaging.ts";
import { connection, createTopic } from "./kafka.fixture.ts";

const admin = new kafkajs.Kafka({ ...connection, logLevel: kafkajs.logLevel.NOTHING }).admin();

beforeAll(async () => admin.connect());
afterAll(async () => admin.disconnect());

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
