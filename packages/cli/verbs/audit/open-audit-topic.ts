// Opens the audit's topic for reading, on the servers of the environment, else on those of `up`.

import { Fault } from "@sluice/kernel";
import { requireUpState } from "../local/up-state.ts";

/** Rejects with Fault `cli.no-audit` where the topic does not exist. */
export async function openAuditTopic(opened: AsyncDisposableStack) {
  const { readEnvironment } = await import("@sluice/config");
  const { createRegistrySerde, topics } = await import("@sluice/contracts");
  const { machineTime, silentLogger: logger, silentMetrics: metrics } = await import("@sluice/kernel");
  const { createKafkaMessaging } = await import("@sluice/messaging");
  const { kafkaConnection, kafkaVariables, registryConnection, registryVariables } = await import("@sluice/process");
  const environment = readEnvironment(await findServers(), [...kafkaVariables, ...registryVariables]);
  const options = { time: machineTime, logger, opened };
  const [connection, registry] = await Promise.all([
    kafkaConnection("sluice-audit", environment, options),
    registryConnection(environment, options),
  ]);
  const serde = await createRegistrySerde({ ...registry, time: machineTime, attemptsMax: 2 });
  const messaging = createKafkaMessaging({ connection, time: machineTime, logger, metrics });
  opened.defer(() => messaging.close());
  const partitionCount = await messaging.partitionCount(topics.audit);
  if (partitionCount === null) throw new Fault("cli.no-audit", `there is no topic ${topics.audit}`, { isRetryable: false });
  return { messaging, serde, partitionCount };
}

async function findServers(): Promise<Readonly<Record<string, string | undefined>>> {
  if (process.env["KAFKA_BROKERS"] !== undefined) return process.env;
  const { kafkaBrokers, schemaRegistryUrl, connections } = await requireUpState(["kafka", "registry"]);
  return { ...connections, KAFKA_BROKERS: kafkaBrokers, SCHEMA_REGISTRY_URL: schemaRegistryUrl };
}
