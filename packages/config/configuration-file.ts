// The configuration file as a process reads it at its start; what is wrong with it ends the process, all of it said at once.

import { readFileSync } from "node:fs";
import { Fault } from "@sluice/runtime";
import type { Configuration } from "./configuration.ts";
import type { Environment } from "./environment.ts";
import { readConfiguration } from "./read-configuration.ts";

/** Throws Fault `config.unreadable` or `config.invalid`, neither retryable. */
export function readConfigurationFile(path: string, environment: Environment): Configuration {
  const reading = readConfiguration(textIn(path), environment);
  if (reading.ok) return reading.configuration;
  const problems = reading.problems.map(({ path: at, text }) => `${at}: ${text}`);
  throw new Fault("config.invalid", `configuration: ${problems.join("; ")}`, { isRetryable: false });
}

function textIn(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Fault("config.unreadable", `configuration: ${path} cannot be read`, { isRetryable: false, cause });
  }
}
