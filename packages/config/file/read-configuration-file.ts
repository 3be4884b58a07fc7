// Reads the configuration file at the start of a process. A wrong file ends the process with one Fault that names all
// problems.

import { readFileSync } from "node:fs";
import { Fault } from "@sluice/kernel";
import type { Configuration } from "../configuration.ts";
import { formatProblems } from "./problem.ts";
import type { FileVariables } from "./variables.ts";
import { readConfiguration } from "./read-configuration.ts";

/** Reads the configuration. Throws Fault `config.unreadable` or `config.invalid`, neither retryable. */
export function readConfigurationFile(path: string, environment: FileVariables): Configuration {
  const reading = readConfiguration(readText(path), environment);
  if (reading.ok) return reading.configuration;
  throw new Fault("config.invalid", `configuration: ${formatProblems(reading.problems).join("; ")}`, { isRetryable: false });
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Fault("config.unreadable", `configuration: ${path} cannot be read`, { isRetryable: false, cause });
  }
}
