// Environment variables that several services read. Each is named and checked here; a service's config.ts picks the
// ones it needs.

import { addressVariable, listVariable, textVariable } from "@sluice/service";

export const brokerSettings = {
  kafkaBrokers: listVariable("KAFKA_BROKERS"),
  schemaRegistryUrl: addressVariable("SCHEMA_REGISTRY_URL", ["http", "https"]),
} as const;

export const storeSettings = {
  mongoUrl: addressVariable("MONGO_URL", ["mongodb", "mongodb+srv"]),
  mongoDatabase: textVariable("SLUICE_DATABASE", "sluice"),
} as const;

/** Path of the configuration file. */
export const configurationFileSettings = { configurationFile: textVariable("SLUICE_CONFIG") } as const;
