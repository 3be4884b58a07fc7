// What every process reads for itself, whatever its service: where its operations side listens, how much it logs.

import { logLevels } from "@sluice/telemetry";
import type { LogLevel } from "@sluice/telemetry";
import { integer, oneOf, readEnvironment, text } from "./environment.ts";
import type { Environment } from "./environment.ts";

export interface ProcessConfig {
  readonly opsHost: string;
  /** 0: any free one. */
  readonly opsPort: number;
  readonly logLevel: LogLevel;
}

export function readProcessConfig(environment: Environment = process.env): ProcessConfig {
  return readEnvironment<ProcessConfig>(environment, {
    opsHost: text("SLUICE_OPS_HOST", "127.0.0.1"),
    opsPort: integer("SLUICE_OPS_PORT", { min: 0, max: 65_535, fallback: 0 }),
    logLevel: oneOf("SLUICE_LOG_LEVEL", logLevels, "info"),
  });
}
