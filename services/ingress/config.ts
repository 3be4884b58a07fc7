// What ingress takes from outside at its start: the environment, and the configuration file that it names. Nothing else here reads either.

import { readFileSync } from "node:fs";
import { readConfiguration, type Configuration } from "@sluice/config";
import { address, Fault, integer, list, readEnvironment, text, type Environment } from "@sluice/runtime";

export interface IngressConfig {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly kafkaBrokers: readonly string[];
  readonly schemaRegistryUrl: string;
  readonly configuration: Configuration;
}

/** Throws a Fault that names everything missing or wrong. */
export function readIngressConfig(environment: Environment = process.env): IngressConfig {
  const { configurationFile, ...config } = readEnvironment(environment, {
    host: text("SLUICE_HTTP_HOST", "127.0.0.1"),
    port: integer("SLUICE_HTTP_PORT", { min: 0, max: 65_535, fallback: 0 }),
    kafkaBrokers: list("KAFKA_BROKERS"),
    schemaRegistryUrl: address("SCHEMA_REGISTRY_URL", ["http", "https"]),
    configurationFile: text("SLUICE_CONFIG"),
  });
  const reading = readConfiguration(readFileSync(configurationFile, "utf8"), environment);
  if (reading.ok) return { ...config, configuration: reading.configuration };
  const problems = reading.problems.map((problem) => `${problem.path} ${problem.text}`);
  throw new Fault("ingress.configuration", `SLUICE_CONFIG: ${problems.join("; ")}`, { isRetryable: false });
}
