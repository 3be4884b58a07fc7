// What must be there before the services start: topics, schemas in the registry, collections and indexes. Idempotent.

import { lanesDefault, registrySerde } from "@sluice/contracts";
import type { ServerAddresses } from "@sluice/local-servers";
import { provisionTopics, topicSpecs } from "@sluice/messaging";
import { machineTime } from "@sluice/runtime";
import { createMongoStore } from "@sluice/store";
import { silentLog } from "@sluice/telemetry";

/** For servers on one machine: one replica of everything. */
export async function provision(servers: ServerAddresses, database: string): Promise<void> {
  const connection = { brokers: servers.kafkaBrokers.split(","), clientId: "sluice-provisioning" };
  const specs = topicSpecs({ lanes: lanesDefault, replication: 1, minInsync: 1 });
  const store = createMongoStore({ url: servers.mongoUrl, database, log: silentLog });
  try {
    await Promise.all([
      provisionTopics({ connection, specs, log: silentLog }),
      registrySerde({ url: servers.schemaRegistryUrl, time: machineTime }),
      store.prepare(),
    ]);
  } finally {
    await store.close();
  }
}
