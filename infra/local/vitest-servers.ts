// Starts servers for the test projects `servers` and `e2e` once for a run, and passes them to the tests in the
// environment. Servers that the environment already names (from an earlier project of the run, `./sluice test`, or a
// developer) are used.

import { startTestServers } from "./test-servers.ts";

export default async function setup(): Promise<() => Promise<void>> {
  const servers = await startTestServers((text) => void process.stderr.write(`${text}\n`));
  process.env["KAFKA_BROKERS"] = servers.kafkaBrokers;
  process.env["SCHEMA_REGISTRY_URL"] = servers.schemaRegistryUrl;
  process.env["MONGO_URL"] = servers.mongoUrl;
  return () => servers.stop();
}
