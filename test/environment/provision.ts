// Provisions servers on one machine: every topic has one replica unless more are asked for. They are reached with the
// connection settings of this process's environment, or of the one that is given, as the services reach them.

import { readEnvironment } from "@sluice/config";
import { partitionCountDefault } from "@sluice/contracts";
import { machineTime } from "@sluice/kernel";
import type { ServerAddresses } from "@sluice/local-servers";
import { provision as provisionServers, provisionVariables } from "@sluice/process/provision";

interface ProvisionOptions {
  readonly partitionCount?: number;
  readonly topics?: Parameters<typeof provisionServers>[0]["topics"];
  readonly principalOf?: Parameters<typeof provisionServers>[0]["principalOf"];
  readonly environment?: NodeJS.ProcessEnv;
}

const oneReplica = { replication: 1, minInsync: 1 };

export async function provision(
  servers: ServerAddresses,
  database: string,
  { partitionCount = partitionCountDefault, topics = oneReplica, environment = process.env, principalOf }: ProvisionOptions = {},
): Promise<void> {
  const addresses = {
    KAFKA_BROKERS: servers.kafkaBrokers,
    SCHEMA_REGISTRY_URL: servers.schemaRegistryUrl,
    ...(servers.mongoUrl === "" ? {} : { MONGO_URL: servers.mongoUrl }),
    SLUICE_DATABASE: database,
  };
  const settings = readEnvironment({ ...environment, ...addresses }, provisionVariables);
  const rights = principalOf === undefined ? {} : { principalOf };
  await provisionServers({ environment: settings, topics, partitionCount, time: machineTime, ...rights });
}
