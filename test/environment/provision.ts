// Creates what must exist before the services start: topics, schemas in the registry, collections and indexes.
// Idempotent.

import { createRegistrySerde, partitionCountDefault } from "@sluice/contracts";
import type { ServerAddresses } from "@sluice/local-servers";
import { provisionTopics, buildTopicSpecs } from "@sluice/messaging";
import { machineTime, silentLogger } from "@sluice/kernel";
import { createMongoStore } from "@sluice/store";

/** Provisions servers on one machine: every topic has one replica. */
export async function provision(servers: ServerAddresses, database: string, partitionCount = partitionCountDefault): Promise<void> {
  const connection = { brokers: servers.kafkaBrokers.split(","), clientId: "sluice-provisioning" };
  const specs = buildTopicSpecs({ partitionCount, replication: 1, minInsync: 1 });
  const store = createMongoStore({ url: servers.mongoUrl, database, logger: silentLogger });
  try {
    await Promise.all([
      provisionTopics({ connection, specs, logger: silentLogger }),
      createRegistrySerde({ url: servers.schemaRegistryUrl, time: machineTime }),
      store.prepare(),
    ]);
  } finally {
    await store.close();
  }
}
