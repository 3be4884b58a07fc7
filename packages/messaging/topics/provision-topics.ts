// Creates missing topics and compares existing ones with their specs. Idempotent, and safe to run several times at
// once.
//
// #1 After creating a topic it waits until the brokers that it asks know its leaders and settings. Each request may go
//    to another broker, which may not know the topic yet; kafkajs's own wait gives up then.
// #2 An existing topic is never changed. One that would break order or lose money is refused, and every difference is
//    named.

import kafkajs, { type Admin } from "kafkajs";
import { Fault, type Logger, machineTime, sleep } from "@sluice/kernel";
import { brokerUnavailable } from "../faults.ts";
import { createKafkaClient, type KafkaConnection } from "../kafka/client.ts";
import { compareTopic, type TopicDifference, type TopicFound } from "./topic-differences.ts";
import type { TopicSpec } from "./topic-specs.ts";

export interface ProvisionOptions {
  readonly connection: KafkaConnection;
  readonly specs: readonly TopicSpec[];
  readonly logger: Logger;
}

export interface TopicsPlan {
  readonly missing: readonly string[];
  readonly differences: readonly TopicDifference[];
}

const looksMax = 100;
const lookAgainMs = 100;

/**
 * Returns the topics it created. Rejects with `messaging.topics-differ` (not retryable) or `messaging.unavailable`
 * (retryable).
 */
export async function provisionTopics({ connection, specs, logger }: ProvisionOptions): Promise<{ readonly created: readonly string[] }> {
  const admin = createKafkaClient(connection, logger).admin();
  try {
    await admin.connect();
    const created = await createMissing(admin, specs);
    const differences = await untilLed(admin, specs);
    for (const { topic, what, wanted, found } of differences) logger.warn("topics.differ", { topic, what, wanted, found });
    refuseDangerous(differences);
    for (const topic of created) logger.info("topics.created", { topic });
    return { created };
  } catch (error) {
    throw error instanceof Fault ? error : brokerUnavailable("the topics could not be provisioned", error);
  } finally {
    await admin.disconnect();
  }
}

/** What provisioning would create, and how what exists differs. Rejects with `messaging.unavailable` (retryable). */
export async function planTopics({ connection, specs, logger }: ProvisionOptions): Promise<TopicsPlan> {
  const admin = createKafkaClient(connection, logger).admin();
  try {
    await admin.connect();
    const known = new Set(await admin.listTopics());
    const present = specs.filter(({ topic }) => known.has(topic));
    const missing = specs.filter(({ topic }) => !known.has(topic)).map(({ topic }) => topic);
    return { missing, differences: present.length === 0 ? [] : await compare(admin, present) };
  } catch (error) {
    throw error instanceof Fault ? error : brokerUnavailable("the topics cannot be read", error);
  } finally {
    await admin.disconnect();
  }
}

async function createMissing(admin: Admin, specs: readonly TopicSpec[]): Promise<readonly string[]> {
  const known = new Set(await admin.listTopics());
  const created: string[] = [];
  for (const { topic, partitions, replication, config } of specs) {
    if (known.has(topic)) continue;
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
    const asked = [{ topic, numPartitions: partitions, replicationFactor: replication, configEntries }];
    // False means that another process was faster; its topic is compared below.
    if (await admin.createTopics({ topics: asked, waitForLeaders: false })) created.push(topic);
  }
  return created;
}

/** #1 */
async function untilLed(admin: Admin, specs: readonly TopicSpec[]): Promise<readonly TopicDifference[]> {
  let reason: unknown;
  for (let looks = 0; looks < looksMax; looks += 1) {
    if (looks > 0) await sleep(machineTime, lookAgainMs);
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: specs.map(({ topic }) => topic) });
      const isLed = topics.every(({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0));
      if (isLed) return await compare(admin, specs);
    } catch (error) {
      reason = error;
    }
  }
  throw brokerUnavailable("a topic has no leader, or a broker does not know it", reason);
}

async function compare(admin: Admin, specs: readonly TopicSpec[]): Promise<readonly TopicDifference[]> {
  const names = specs.map(({ topic }) => topic);
  const metadata = await admin.fetchTopicMetadata({ topics: names });
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
  });
  return specs.flatMap((spec) => {
    const partitions = metadata.topics.find(({ name }) => name === spec.topic)?.partitions ?? [];
    const entries = resources.find(({ resourceName }) => resourceName === spec.topic)?.configEntries ?? [];
    const found: TopicFound = {
      partitions: partitions.length,
      replication: Math.min(...partitions.map(({ replicas }) => replicas.length)),
      config: Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue])),
    };
    return compareTopic(spec, found);
  });
}

function refuseDangerous(differences: readonly TopicDifference[]): void {
  const dangerous = differences.filter(({ isDangerous }) => isDangerous);
  if (dangerous.length === 0) return;
  const named = dangerous.map(({ topic, what, wanted, found }) => `${topic}: ${what} is ${found}, must be ${wanted}`);
  throw new Fault("messaging.topics-differ", `topics would break order or lose money: ${named.join("; ")}`, { isRetryable: false });
}
