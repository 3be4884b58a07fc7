// Makes the topics that are missing and compares those that are there. Idempotent; several may run at once.
//
// #1 A topic made is waited for until the broker knows its leaders: kafkajs's own wait gives up when the broker does not know it yet.
// #2 An existing topic is never changed. One that would break order or lose money is refused, with every difference named.

import kafkajs from "kafkajs";
import type { Admin } from "kafkajs";
import { Fault, machineTime, sleep } from "@sluice/runtime";
import type { Log } from "@sluice/telemetry";
import { unavailable } from "./faults.ts";
import type { KafkaConnection } from "./kafka-client.ts";
import { createKafkaClient } from "./kafka-client.ts";
import type { TopicDifference, TopicFound } from "./topic-differences.ts";
import { topicDifferences } from "./topic-differences.ts";
import type { TopicSpec } from "./topic-specs.ts";

export interface ProvisionOptions {
  readonly connection: KafkaConnection;
  readonly specs: readonly TopicSpec[];
  readonly log: Log;
}

const looksMax = 100;
const lookAgainMs = 100;

/** Rejects with `messaging.topics-differ` (not retryable), or `messaging.unavailable` (retryable). Answers the topics it made. */
export async function provisionTopics({ connection, specs, log }: ProvisionOptions): Promise<{ readonly created: readonly string[] }> {
  const admin = createKafkaClient(connection, log).admin();
  try {
    await admin.connect();
    const created = await createMissing(admin, specs);
    await untilLed(admin, specs);
    const differences = await compare(admin, specs);
    for (const { topic, what, wanted, found } of differences) log.warn("topics.differ", { topic, what, wanted, found });
    refuseDangerous(differences);
    for (const topic of created) log.info("topics.created", { topic });
    return { created };
  } catch (error) {
    throw error instanceof Fault ? error : unavailable("the topics could not be provisioned", error);
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
    // False: another was first; its topic is compared below.
    if (await admin.createTopics({ topics: asked, waitForLeaders: false })) created.push(topic);
  }
  return created;
}

/** #1 */
async function untilLed(admin: Admin, specs: readonly TopicSpec[]): Promise<void> {
  let reason: unknown;
  for (let looks = 0; looks < looksMax; looks += 1) {
    if (looks > 0) await sleep(machineTime, lookAgainMs);
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: specs.map(({ topic }) => topic) });
      if (topics.every(({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0))) return;
    } catch (error) {
      reason = error;
    }
  }
  throw unavailable("a topic has no leader", reason);
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
    return topicDifferences(spec, found);
  });
}

function refuseDangerous(differences: readonly TopicDifference[]): void {
  const dangerous = differences.filter(({ isDangerous }) => isDangerous);
  if (dangerous.length === 0) return;
  const named = dangerous.map(({ topic, what, wanted, found }) => `${topic}: ${what} is ${found}, must be ${wanted}`);
  throw new Fault("messaging.topics-differ", `topics would break order or lose money: ${named.join("; ")}`, { isRetryable: false });
}
