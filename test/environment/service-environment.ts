// Builds the environment of a service, with the names of packages/config/environment/environment.ts.

import { join } from "node:path";
import type { ServerAddresses } from "@sluice/local-servers";
import { projectRoot } from "./run-program.ts";

export interface ServiceSettings {
  readonly servers: ServerAddresses;
  /** Path of the configuration file. */
  readonly configurationFile: string;
  readonly database?: string;
  /** Port of ingress; 0 or none: any free port. */
  readonly httpPort?: number;
  /** Port of the console; 0 or none: any free port. */
  readonly consolePort?: number;
  /** Port of the console's control API; 0 or none: any free port. */
  readonly controlPort?: number;
  /** Values of the ${NAME} references in the configuration file. */
  readonly references?: Readonly<Record<string, string>>;
}

export function serviceEnvironment(settings: ServiceSettings): Readonly<Record<string, string>> {
  return {
    ...settings.references,
    KAFKA_BROKERS: settings.servers.kafkaBrokers,
    SCHEMA_REGISTRY_URL: settings.servers.schemaRegistryUrl,
    MONGO_URL: settings.servers.mongoUrl,
    KAFKA_FEW_REPLICAS: "allowed",
    SLUICE_DATABASE: settings.database ?? "sluice",
    SLUICE_CONFIG: settings.configurationFile,
    // Made by itself on its first use, which is where the configuration file has personal data sealed.
    SLUICE_KEYRING_FOLDER: join(projectRoot, ".sluice", "keyring"),
    SLUICE_HTTP_HOST: "127.0.0.1",
    SLUICE_HTTP_PORT: String(settings.httpPort ?? 0),
    SLUICE_CONSOLE_PORT: String(settings.consolePort ?? 0),
    SLUICE_CONTROL_PORT: String(settings.controlPort ?? 0),
  };
}
