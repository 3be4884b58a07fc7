// The servers of a test run: Java processes, or with SLUICE_SERVERS=containers containers of the public images.
//
// #1 The run says which of the two it uses. Containers that do not start fail it: nothing falls back to the other.
// #2 Addresses in the environment win, as they do for Java processes.

import { Fault } from "@sluice/kernel";
import { type ServerAddresses, startServers } from "./start-servers.ts";

export interface TestServers extends ServerAddresses {
  stop(): Promise<void>;
}

/** Milliseconds that a container may take to answer. */
const startMaxMs = 120_000;
const mongoPort = 27_017;
const registryPort = 8080;
const registryPath = "/apis/ccompat/v7";

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
  const { GenericContainer, Wait } = await import("testcontainers");
  const { ApacheKafkaContainer } = await import("@sluice/testcontainers/kafka");
  await using opened = new AsyncDisposableStack();
  const registry = new GenericContainer("apicurio/apicurio-registry:3.0.9")
    .withEnvironment({ APICURIO_STORAGE_KIND: "sql", APICURIO_STORAGE_SQL_KIND: "h2" })
    .withExposedPorts(registryPort)
    .withWaitStrategy(Wait.forHttp(`${registryPath}/subjects`, registryPort).forStatusCode(200))
    .withStartupTimeout(startMaxMs);
  const store = new GenericContainer("mongo:8").withExposedPorts(mongoPort).withStartupTimeout(startMaxMs);
  const started = await Promise.allSettled([new ApacheKafkaContainer().start(), registry.start(), store.start()] as const);
  for (const one of started) if (one.status === "fulfilled") opened.use(one.value);
  const [kafka, schemas, documents] = started;
  if (kafka.status === "rejected") throw kafka.reason;
  if (schemas.status === "rejected") throw schemas.reason;
  if (documents.status === "rejected") throw documents.reason;
  const running = opened.move();
  const address = (container: { getHost(): string; getMappedPort(port: number): number }, port: number): string =>
    `${container.getHost()}:${container.getMappedPort(port)}`;
  return {
    kafkaBrokers: kafka.value.broker,
    schemaRegistryUrl: `http://${address(schemas.value, registryPort)}${registryPath}`,
    mongoUrl: `mongodb://${address(documents.value, mongoPort)}/?directConnection=true`,
    stop: () => running.disposeAsync(),
  };
}
