// The configuration that every process reads for itself: where its operations endpoints listen, and how much it logs.

import {
  choiceVariable,
  type EnvironmentVariables,
  integerVariable,
  type LogLevel,
  logLevels,
  readEnvironment,
  textVariable,
} from "@sluice/service";

export interface ProcessConfig {
  readonly opsHost: string;
  /** Port of the operations endpoints; 0 takes any free port. */
  readonly opsPort: number;
  readonly logLevel: LogLevel;
}

export function readProcessConfig(environment: EnvironmentVariables = process.env): ProcessConfig {
  return readEnvironment<ProcessConfig>(environment, {
    opsHost: textVariable("SLUICE_OPS_HOST", "127.0.0.1"),
    opsPort: integerVariable("SLUICE_OPS_PORT", { min: 0, max: 65_535, fallback: 0 }),
    logLevel: choiceVariable("SLUICE_LOG_LEVEL", logLevels, "info"),
  });
}
