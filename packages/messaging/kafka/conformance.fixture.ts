// The Kafka adapter under the port's conformance suite, on whichever brokers a connection leads to.

import kafkajs from "kafkajs";
import { machineTime, silentLogger } from "@sluice/kernel";
import { afterAll, beforeAll } from "vitest";
import { buildTextRecord } from "../conformance/conformance.fixture.ts";
import { describeMessaging } from "../conformance/conformance.ts";
import { provisionTopics } from "../topics/provision-topics.ts";
import { createKafkaClient, type KafkaConnection } from "./client.ts";
import { createKafkaMessaging } from "./messaging.ts";

export interface KafkaUnderTest {
  /** Called when the tests run, because servers may start before them. */
  readonly connection: () => KafkaConnection;
  readonly replication: number;
  readonly minInsync: number;
}

let topics = 0;

/** Creates a topic that no other run uses. */
export async function createFreshTopic(
  { connection, replication, minInsync }: KafkaUnderTest,
  partitions: number,
  further: Readonly<Record<string, string>> = {},
): Promise<string> {
  topics += 1;
  const topic = `messaging-test-${process.pid}-${Date.now()}-${topics}`;
  const config = { "message.timestamp.type": "LogAppendTime", "min.insync.replicas": String(minInsync), ...further };
  await provisionTopics({ connection: connection(), specs: [{ topic, partitions, replication, config }], logger: silentLogger });
  return topic;
}

export function describeKafka(subject: KafkaUnderTest): void {
  let admin: kafkajs.Admin;
  const openClient = () => createKafkaMessaging({ connection: subject.connection(), time: machineTime, logger: silentLogger });

  beforeAll(async () => {
    admin = createKafkaClient(subject.connection(), silentLogger).admin();
    await admin.connect();
  });
  afterAll(async () => admin.disconnect());

  // The broker packs what it gets as its topic says. No codec here reads lz4.
  async function setCompression(topic: string, value: string): Promise<void> {
    const configEntries = [
      { name: "message.timestamp.type", value: "LogAppendTime" },
      { name: "min.insync.replicas", value: String(subject.minInsync) },
      { name: "compression.type", value },
    ];
    const resources = [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configEntries }];
    await admin.alterConfigs({ validateOnly: false, resources });
  }

  describeMessaging(() => {
    const created: string[] = [];
    return Promise.resolve({
      client: openClient,
      createTopic: async (partitions: number) => {
        const topic = await createFreshTopic(subject, partitions);
        created.push(topic);
        return topic;
      },
      truncate: async ({ topic, partition }, before) => {
        // kafkajs must load the topic's leaders before it can delete records.
        await admin.fetchTopicOffsets(topic);
        await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: before.toString() }] });
      },
      appendUnreadable: async ({ topic, partition }, texts) => {
        const messaging = openClient();
        const producer = await messaging.producer("appender");
        await setCompression(topic, "lz4");
        await producer.send(texts.map((text) => buildTextRecord(topic, partition, text)));
        await setCompression(topic, "producer");
        await messaging.close();
      },
      heartbeatAgeMaxMs: 3000,
      close: async () => admin.deleteTopics({ topics: created }),
    });
  });
}
