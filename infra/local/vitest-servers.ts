// Servers for the test projects `servers` and `e2e`, started once a run and given to the tests in the environment. Where the
// environment names them already (an earlier project of the same run, `./sluice test`, or a developer), they are used.

import { startServers } from "./start-servers.ts";

export default async function setup(): Promise<() => Promise<void>> {
  const servers = await startServers({ storage: "memory", purpose: "tests", progress: (text) => process.stderr.write(`${text}\n`) });
  process.env["KAFKA_BROKERS"] = servers.kafkaBrokers;
  process.env["SCHEMA_REGISTRY_URL"] = servers.schemaRegistryUrl;
  process.env["MONGO_URL"] = servers.mongoUrl;
  return () => servers.stop();
}
