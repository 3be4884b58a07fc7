// What ingress reads from the environment; nothing else here does.

import { address, integer, list, readEnvironment, text, type Environment } from "@sluice/runtime";

export interface IngressConfig {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly kafkaBrokers: readonly string[];
  readonly schemaRegistryUrl: string;
  /** Path of the configuration file. */
  readonly configurationFile: string;
}

/** Throws a Fault that names everything missing or wrong. */
export function readIngressConfig(environment: Environment = process.env): IngressConfig {
  return readEnvironment<IngressConfig>(environment, {
    host: text("SLUICE_INGRESS_HOST", "127.0.0.1"),
    port: integer("SLUICE_INGRESS_PORT", { min: 0, max: 65_535, fallback: 0 }),
    kafkaBrokers: list("KAFKA_BROKERS"),
    schemaRegistryUrl: address("SCHEMA_REGISTRY_URL", ["http", "https"]),
    configurationFile: text("SLUICE_CONFIG"),
  });
}
