// Creates what must exist before the services start: topics, schemas in the registry, collections and indexes.
// Idempotent.

import { readEnvironment } from "@sluice/config";
import { createRegistrySerde, partitionCountDefault } from "@sluice/contracts";
import type { ServerAddresses } from "@sluice/local-servers";
import { provisionTopics, buildTopicSpecs } from "@sluice/messaging";
import { machineTime, silentLogger } from "@sluice/kernel";
import { kafkaConnection, kafkaVariables, registryConnection, registryVariables } from "@sluice/process";
import { openStore, storeVariables } from "@sluice/process/store";

/**
 * Provisions servers on one machine: every topic has one replica. They are reached with the connection settings of this
 * process's environment, as the services reach them.
 */
export async function provision(servers: ServerAddresses, database: string, partitionCount = partitionCountDefault): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const addresses = {
    KAFKA_BROKERS: servers.kafkaBrokers,
    SCHEMA_REGISTRY_URL: servers.schemaRegistryUrl,
    ...(servers.mongoUrl === "" ? {} : { MONGO_URL: servers.mongoUrl }),
    SLUICE_DATABASE: database,
  };
  const names = [...kafkaVariables, ...registryVariables, ...storeVariables];
  const environment = readEnvironment({ ...process.env, ...addresses }, names);
  const options = { time: machineTime, logger: silentLogger, opened };
  const [connection, registry, store] = await Promise.all([
    kafkaConnection("sluice-provisioning", environment, options),
    registryConnection(environment, options),
    openStore(environment, options),
  ]);
  const specs = buildTopicSpecs({ partitionCount, replication: 1, minInsync: 1 });
  await Promise.all([
    provisionTopics({ connection, specs, logger: silentLogger }),
    createRegistrySerde({ ...registry, time: machineTime }),
    store.prepare(),
  ]);
}
