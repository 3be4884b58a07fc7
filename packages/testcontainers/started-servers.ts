// Kafka, a schema registry and a store as containers in a network of their own, for Sluice to run on.
//
// #1 Containers of the network reach them by name, this machine by ports that the engine chose.
// #2 Either all of them start, or none is left.

import { GenericContainer, Network, type StartedTestContainer, Wait } from "testcontainers";
import { ApacheKafkaContainer } from "./kafka.ts";
import type { GivenServers, ServerImages } from "./servers.ts";

export interface StartedServers extends AsyncDisposable {
  /** #1 */
  readonly inNetwork: GivenServers;
  readonly fromHost: GivenServers;
}

const imagesDefault = { kafka: "apache/kafka:4.3.1", registry: "apicurio/apicurio-registry:3.0.9", store: "mongo:8" } as const;
const names = { kafka: "kafka", registry: "registry", store: "store" } as const;
const registryPort = 8080;
const registryPath = "/apis/ccompat/v7";
const storePort = 27_017;
const storeOptions = "/?directConnection=true";
const startMaxMs = 120_000;

export async function startServerContainers(given: ServerImages = {}): Promise<StartedServers> {
  const images = { ...imagesDefault, ...given };
  await using opened = new AsyncDisposableStack();
  const network = opened.use(await new Network().start());
  const registry = new GenericContainer(images.registry)
    .withEnvironment({ APICURIO_STORAGE_KIND: "sql", APICURIO_STORAGE_SQL_KIND: "h2" })
    .withExposedPorts(registryPort)
    .withWaitStrategy(Wait.forHttp(`${registryPath}/subjects`, registryPort).forStatusCode(200));
  const store = new GenericContainer(images.store).withExposedPorts(storePort);
  const inNetwork = <T extends GenericContainer>(container: T, name: string): T =>
    container.withNetwork(network).withNetworkAliases(name).withStartupTimeout(startMaxMs);
  const started = await Promise.allSettled([
    inNetwork(new ApacheKafkaContainer(images.kafka), names.kafka).start(),
    inNetwork(registry, names.registry).start(),
    inNetwork(store, names.store).start(),
  ] as const);
  // #2
  for (const one of started) if (one.status === "fulfilled") opened.use(one.value);
  const [kafka, schemas, documents] = started;
  if (kafka.status === "rejected") throw kafka.reason;
  if (schemas.status === "rejected") throw schemas.reason;
  if (documents.status === "rejected") throw documents.reason;
  const owned = opened.move();
  const reached = (container: StartedTestContainer, port: number): string => `${container.getHost()}:${container.getMappedPort(port)}`;
  return {
    inNetwork: {
      kafkaBrokers: kafka.value.networkBroker,
      schemaRegistryUrl: `http://${names.registry}:${registryPort}${registryPath}`,
      mongoUrl: `mongodb://${names.store}:${storePort}${storeOptions}`,
      network,
    },
    fromHost: {
      kafkaBrokers: kafka.value.broker,
      schemaRegistryUrl: `http://${reached(schemas.value, registryPort)}${registryPath}`,
      mongoUrl: `mongodb://${reached(documents.value, storePort)}${storeOptions}`,
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
