// The Kafka adapter on a real broker keeps the promises of the port.

import kafkajs from "kafkajs";
import { machineTime, silentLogger } from "@sluice/kernel";
import { afterAll, beforeAll } from "vitest";
import { buildTextRecord } from "../conformance/conformance.fixture.ts";
import { describeMessaging } from "../conformance/conformance.ts";
import { createKafkaMessaging } from "./messaging.ts";
import { testConnection, createTopic } from "./kafka.fixture.ts";

const admin = new kafkajs.Kafka({ ...testConnection, logLevel: kafkajs.logLevel.NOTHING }).admin();
const openClient = () => createKafkaMessaging({ connection: testConnection, time: machineTime, logger: silentLogger });

beforeAll(async () => admin.connect());
afterAll(async () => admin.disconnect());

describeMessaging(async () => {
  const created: string[] = [];
  return {
    client: openClient,
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
    // The broker packs what it gets as its topic says. No codec here reads lz4.
    appendUnreadable: async ({ topic, partition }, texts) => {
      const resource = (value: string) => ({
        type: kafkajs.ConfigResourceTypes.TOPIC,
        name: topic,
        configEntries: [
          { name: "message.timestamp.type", value: "LogAppendTime" },
          { name: "compression.type", value },
        ],
      });
      const messaging = openClient();
      const producer = await messaging.producer("appender");
      await admin.alterConfigs({ validateOnly: false, resources: [resource("lz4")] });
      await producer.send(texts.map((text) => buildTextRecord(topic, partition, text)));
      await admin.alterConfigs({ validateOnly: false, resources: [resource("producer")] });
      await messaging.close();
    },
    heartbeatAgeMaxMs: 3000,
    close: async () => admin.deleteTopics({ topics: created }),
  };
});
