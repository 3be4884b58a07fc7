// What the validator takes from outside at its start: the environment, and the configuration file that it names. Nothing else here reads either.

import { fileSettings, logSettings, readConfigurationFile } from "@sluice/config";
import { readEnvironment } from "@sluice/runtime";

/** Throws a Fault that names everything missing or wrong. */
export function readValidatorConfig() {
  const { configurationFile, ...config } = readEnvironment(process.env, { ...logSettings, ...fileSettings });
  return { ...config, configuration: readConfigurationFile(configurationFile, process.env) };
}
