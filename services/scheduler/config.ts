// What the scheduler takes from outside at its start: the environment, and the configuration file that it names. Nothing else here reads either.

import { readFileSync } from "node:fs";
import { readConfiguration } from "@sluice/config";
import type { Configuration } from "@sluice/config";
import { address, Fault, list, readEnvironment, text } from "@sluice/runtime";
import type { Environment } from "@sluice/runtime";

export interface SchedulerConfig {
  readonly kafkaBrokers: readonly string[];
  readonly schemaRegistryUrl: string;
  readonly mongoUrl: string;
  readonly mongoDatabase: string;
  readonly configuration: Configuration;
}

/** Throws a Fault that names everything missing or wrong. */
export function readSchedulerConfig(environment: Environment = process.env): SchedulerConfig {
  const { configurationFile, ...config } = readEnvironment(environment, {
    kafkaBrokers: list("KAFKA_BROKERS"),
    schemaRegistryUrl: address("SCHEMA_REGISTRY_URL", ["http", "https"]),
    mongoUrl: address("MONGO_URL", ["mongodb", "mongodb+srv"]),
    mongoDatabase: text("SLUICE_DATABASE", "sluice"),
    configurationFile: text("SLUICE_CONFIG"),
  });
  const reading = readConfiguration(readFileSync(configurationFile, "utf8"), environment);
  if (reading.ok) return { ...config, configuration: reading.configuration };
  const problems = reading.problems.map((problem) => `${problem.path} ${problem.text}`);
  throw new Fault("scheduler.configuration", `SLUICE_CONFIG: ${problems.join("; ")}`, { isRetryable: false });
}
