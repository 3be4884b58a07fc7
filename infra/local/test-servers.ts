// The servers of a test run: Java processes, or with SLUICE_SERVERS=containers containers of the public images.
//
// #1 The run says which of the two it uses. Containers that do not start fail it: nothing falls back to the other.
// #2 Addresses in the environment win, as they do for Java processes.

import { Fault } from "@sluice/kernel";
import { type ServerAddresses, startServers } from "./start-servers.ts";

export interface TestServers extends ServerAddresses {
  stop(): Promise<void>;
}

export async function startTestServers(progress: (text: string) => void, environment = process.env): Promise<TestServers> {
  const wanted = environment["SLUICE_SERVERS"] ?? "";
  const isGiven = ["KAFKA_BROKERS", "SCHEMA_REGISTRY_URL", "MONGO_URL"].every((name) => (environment[name] ?? "") !== "");
  if (wanted !== "" && wanted !== "containers") {
    throw new Fault("servers.unknown-kind", "SLUICE_SERVERS: `containers`, or not set for Java processes", { isRetryable: false });
  }
  if (wanted === "" || isGiven) {
    progress(isGiven ? "servers that the environment names" : "servers are Java processes");
    return await startServers({ storage: "memory", purpose: "tests", progress, environment });
  }
  progress("servers are containers");
  return await startContainers();
}

async function startContainers(): Promise<TestServers> {
  const { startServerContainers } = await import("@sluice/testcontainers/started-servers");
  const started = await startServerContainers();
  return { ...started.fromHost, stop: async () => await started[Symbol.asyncDispose]() };
}
