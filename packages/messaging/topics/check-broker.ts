// What a service asks the broker before it starts: whether it speaks what we speak, whether the topics of the service
// are there, and whether those that it writes keep what they acknowledge.
//
// #1 Fewer than three replicas, or an acknowledgement by fewer than two, loses acknowledged records with one disk. That
//    is said, and not refused: it may be meant so.
// #2 A broker that does not let us read a topic's settings is reported, and not refused.

import kafkajs, { type Admin } from "kafkajs";
import Cluster from "kafkajs/src/cluster/index.js";
import { Fault, type Logger } from "@sluice/kernel";
import { brokerUnavailable } from "../faults.ts";
import { clientSettings, createKafkaClient, type KafkaConnection } from "../kafka/client.ts";

export interface CheckedTopics {
  /** Those that must be there. */
  readonly needed: readonly string[];
  /** Those of them that must keep what they acknowledge. */
  readonly written: readonly string[];
}

export interface BrokerCheck {
  readonly missing: readonly string[];
  /** One sentence for each topic that may lose what it acknowledged. */
  readonly unsafe: readonly string[];
}

const replicasMin = 3;
const insyncMin = 2;
const metadataMaxAgeMs = 300_000;

/** What we write and read by ourselves, in the one version that we know. */
const spoken = [
  { key: 0, name: "Produce", version: 7 },
  { key: 1, name: "Fetch", version: 11 },
] as const;

type ApiVersions = Readonly<Record<number, { readonly minVersion: number; readonly maxVersion: number }>>;

/** Rejects with `messaging.unavailable` (retryable), or `messaging.not-spoken`. */
export async function checkBroker(connection: KafkaConnection, { needed, written }: CheckedTopics, logger: Logger): Promise<BrokerCheck> {
  const kafka = createKafkaClient(connection, logger);
  const cluster = new Cluster({ ...clientSettings(connection), logger: kafka.logger(), metadataMaxAge: metadataMaxAgeMs });
  const admin = kafka.admin();
  try {
    await cluster.connect();
    requireSpoken(cluster.brokerPool.seedBroker?.versions ?? {});
    await admin.connect();
    const known = new Set(await admin.listTopics());
    const present = written.filter((topic) => known.has(topic));
    return { missing: needed.filter((topic) => !known.has(topic)), unsafe: await findUnsafe(admin, present) };
  } catch (error) {
    throw error instanceof Fault ? error : brokerUnavailable(reasonOf(error), error);
  } finally {
    await Promise.allSettled([cluster.disconnect(), admin.disconnect()]);
  }
}

/** Throws `messaging.not-spoken` where the broker does not know our versions. */
export function requireSpoken(versions: ApiVersions): void {
  const missing = spoken.filter(({ key, version }) => {
    const found = versions[key];
    return found === undefined || version < found.minVersion || version > found.maxVersion;
  });
  if (missing.length === 0) return;
  const named = missing.map(({ key, name, version }) => {
    const found = versions[key];
    return `${name} ${version} (it has ${found === undefined ? "none" : `${found.minVersion} to ${found.maxVersion}`})`;
  });
  throw new Fault("messaging.not-spoken", `the broker does not speak ${named.join(", ")}`, { isRetryable: false });
}

async function findUnsafe(admin: Admin, topics: readonly string[]): Promise<readonly string[]> {
  if (topics.length === 0) return [];
  const metadata = await admin.fetchTopicMetadata({ topics: [...topics] });
  const insync = await readInsync(admin, topics);
  return metadata.topics.flatMap(({ name, partitions }) => {
    const replicas = Math.min(...partitions.map((partition) => partition.replicas.length));
    return describeUnsafe(name, replicas, insync?.get(name) ?? null);
  });
}

/** `insync`: replicas that must have a record before it is acknowledged; null: not known. #1, #2 */
export function describeUnsafe(topic: string, replicas: number, insync: number | null): readonly string[] {
  const few = replicas < replicasMin ? [`${replicas} replicas instead of ${replicasMin}`] : [];
  const early =
    insync === null
      ? ["a number of in-sync replicas that it does not show us"]
      : insync < insyncMin
        ? [`min.insync.replicas ${insync} instead of ${insyncMin}`]
        : [];
  const found = [...few, ...early];
  return found.length === 0 ? [] : [`${topic} has ${found.join(" and ")}`];
}

/** Null: the broker does not let us. */
async function readInsync(admin: Admin, topics: readonly string[]): Promise<ReadonlyMap<string, number> | null> {
  const asked = topics.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name, configNames: ["min.insync.replicas"] }));
  try {
    const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: asked });
    return new Map(resources.map(({ resourceName, configEntries }) => [resourceName, Number(configEntries[0]?.configValue)]));
  } catch (error) {
    if (error instanceof kafkajs.KafkaJSProtocolError && /AUTHORIZATION_FAILED/.test(error.type)) return null;
    throw error;
  }
}

/** kafkajs says after its last try only that there were too many; the cause says why. */
function reasonOf(error: unknown): string {
  const last = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return `no broker can be reached: ${last instanceof Error ? last.message : "no answer"}`;
}
