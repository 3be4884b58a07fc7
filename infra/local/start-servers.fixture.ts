// Starts servers, prints where they are, and waits to be killed; for the test of what a killed run leaves behind.

import { startServers } from "./start-servers.ts";

const servers = await startServers({
  storage: "memory",
  purpose: "killed",
  environment: { ...process.env, KAFKA_BROKERS: "given:1", SCHEMA_REGISTRY_URL: "http://given" },
});
process.stdout.write(`${JSON.stringify({ started: servers.started, directory: servers.directory })}\n`);
setInterval(() => {}, 60_000);
