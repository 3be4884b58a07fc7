// What the validator reads from the environment; nothing else here does.

import { address, list, readEnvironment, text, type Environment } from "@sluice/runtime";

export interface ValidatorConfig {
  readonly kafkaBrokers: readonly string[];
  readonly schemaRegistryUrl: string;
  /** Path of the configuration file. */
  readonly configurationFile: string;
}

/** Throws a Fault that names everything missing or wrong. */
export function readValidatorConfig(environment: Environment = process.env): ValidatorConfig {
  return readEnvironment<ValidatorConfig>(environment, {
    kafkaBrokers: list("KAFKA_BROKERS"),
    schemaRegistryUrl: address("SCHEMA_REGISTRY_URL", ["http", "https"]),
    configurationFile: text("SLUICE_CONFIG"),
  });
}
