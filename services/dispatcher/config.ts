// What the dispatcher takes from outside at its start: the environment, and the configuration file that it names. Nothing else here
// reads either.

import { readConfigurationFile, type Configuration } from "@sluice/config";
import { address, list, readEnvironment, text, type Environment } from "@sluice/runtime";

export interface DispatcherConfig {
  readonly kafkaBrokers: readonly string[];
  readonly schemaRegistryUrl: string;
  readonly mongoUrl: string;
  readonly mongoDatabase: string;
  readonly configuration: Configuration;
}

/** Throws a Fault that names everything missing or wrong. */
export function readDispatcherConfig(environment: Environment = process.env): DispatcherConfig {
  const { configurationFile, ...config } = readEnvironment(environment, {
    kafkaBrokers: list("KAFKA_BROKERS"),
    schemaRegistryUrl: address("SCHEMA_REGISTRY_URL", ["http", "https"]),
    mongoUrl: address("MONGO_URL", ["mongodb", "mongodb+srv"]),
    mongoDatabase: text("SLUICE_DATABASE", "sluice"),
    configurationFile: text("SLUICE_CONFIG"),
  });
  return { ...config, configuration: readConfigurationFile(configurationFile, environment) };
}
