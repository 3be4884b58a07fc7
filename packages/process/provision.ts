// Creates what must exist before the services start: topics, schemas in the registry, collections and indexes. Or says
// what it would create, and how what exists differs, and changes nothing.
//
// #1 Idempotent, and safe to run several times at once. An existing topic is never changed.
// #2 A topic that exists and would break order or lose money is refused before schemas and indexes are created.

import type { ConfiguredTopics, ServiceEnvironment } from "@sluice/config";
import { createRegistrySerde, findMissingSchemas } from "@sluice/contracts";
import { type Logger, silentLogger, type Time } from "@sluice/kernel";
import { buildTopicSpecs, planTopics, provisionTopics } from "@sluice/messaging";
import { kafkaConnection, kafkaVariables } from "./connections/kafka-connection.ts";
import { registryConnection, registryVariables } from "./connections/registry-connection.ts";
import { openStore, storeVariables } from "./connections/store-connection.ts";

export const provisionVariables = [...kafkaVariables, ...registryVariables, ...storeVariables] as const;

export interface Provisioning {
  readonly environment: Pick<ServiceEnvironment, (typeof provisionVariables)[number]>;
  readonly topics: Partial<Pick<ConfiguredTopics, "retentionMs">> & Omit<ConfiguredTopics, "retentionMs">;
  readonly partitionCount: number;
  readonly time: Time;
  readonly logger?: Logger;
}

export interface ProvisionPlan {
  readonly missing: { readonly topics: readonly string[]; readonly schemas: readonly string[]; readonly indexes: readonly string[] };
  /** How existing topics differ from the configuration. */
  readonly differences: readonly {
    readonly topic: string;
    readonly what: string;
    readonly wanted: string;
    readonly found: string;
    readonly isDangerous: boolean;
  }[];
}

async function openServers(
  { environment, topics, partitionCount, time, logger = silentLogger }: Provisioning,
  opened: AsyncDisposableStack,
) {
  const options = { time, logger, opened };
  const [connection, registry, store] = await Promise.all([
    kafkaConnection("sluice-provisioning", environment, options),
    registryConnection(environment, options),
    openStore(environment, options),
  ]);
  return { topics: { connection, specs: buildTopicSpecs({ partitionCount, ...topics }), logger }, registry: { ...registry, time }, store };
}

/** Rejects with `messaging.topics-differ`, which names what is dangerous, or with what is away. */
export async function provision(provisioning: Provisioning): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const servers = await openServers(provisioning, opened);
  await provisionTopics(servers.topics);
  await Promise.all([createRegistrySerde(servers.registry), servers.store.prepare()]);
}

/** Changes nothing. */
export async function planProvisioning(provisioning: Provisioning): Promise<ProvisionPlan> {
  await using opened = new AsyncDisposableStack();
  const { topics, registry, store } = await openServers(provisioning, opened);
  const [{ missing, differences }, schemas, indexes] = await Promise.all([
    planTopics(topics),
    findMissingSchemas(registry),
    store.missingIndexes(),
  ]);
  return { missing: { topics: missing, schemas, indexes }, differences };
}
