// Kafka, registry and store for a test that also looks at them: there already, or started with Sluice.

import { randomBytes } from "node:crypto";

export interface GivenServers {
  /** One or more `host:port`, separated by commas, as what is started reaches them. */
  readonly kafkaBrokers: string;
  /** The registry's Confluent-compatible API. */
  readonly schemaRegistryUrl: string;
  readonly mongoUrl: string;
  /** A new one for each start where it is not given. */
  readonly database?: string;
  /** A network of the container engine in which these addresses are known, such as testcontainers' `StartedNetwork`. */
  readonly network?: { getName(): string };
  /** Further settings of all services, such as `KAFKA_TLS` or `MONGO_USERNAME`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The images of servers that are started with Sluice; the public ones where they are not named. */
export interface ServerImages {
  readonly kafka?: string;
  readonly registry?: string;
  readonly store?: string;
}

/** What runs on real servers, each in a process or container of its own. */
export const startedServices = ["ingress", "validator", "scheduler", "dispatcher", "event-publisher", "console"] as const;
export type StartedService = (typeof startedServices)[number];

/** Topics on a test's single broker have one copy. */
export const oneCopy = { topics: { replication: 1, minInsync: 1 } } as const;
const nameBytes = 6;

/** The variables with which services reach the servers. */
export function serverVariables(servers: GivenServers): Readonly<Record<string, string>> {
  return {
    KAFKA_BROKERS: servers.kafkaBrokers,
    KAFKA_FEW_REPLICAS: "allowed",
    SCHEMA_REGISTRY_URL: servers.schemaRegistryUrl,
    MONGO_URL: servers.mongoUrl,
    SLUICE_DATABASE: servers.database ?? `sluice_test_${randomBytes(nameBytes).toString("hex")}`,
    ...servers.settings,
  };
}
