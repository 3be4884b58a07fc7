// Environment variables that several services read, each named and checked in one place; a service's config.ts picks what it needs.

import { address, list, text } from "@sluice/runtime";

export const logSettings = {
  kafkaBrokers: list("KAFKA_BROKERS"),
  schemaRegistryUrl: address("SCHEMA_REGISTRY_URL", ["http", "https"]),
} as const;

export const storeSettings = {
  mongoUrl: address("MONGO_URL", ["mongodb", "mongodb+srv"]),
  mongoDatabase: text("SLUICE_DATABASE", "sluice"),
} as const;

/** Path of the configuration file. */
export const fileSettings = { configurationFile: text("SLUICE_CONFIG") } as const;
