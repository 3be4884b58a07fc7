// What the scheduler takes from outside at its start: the environment, and the configuration file that it names. Nothing else here reads either.

import { fileSettings, logSettings, readConfigurationFile, storeSettings } from "@sluice/config";
import { readEnvironment } from "@sluice/runtime";

/** Throws a Fault that names everything missing or wrong. */
export function readSchedulerConfig() {
  const { configurationFile, ...config } = readEnvironment(process.env, { ...logSettings, ...storeSettings, ...fileSettings });
  return { ...config, configuration: readConfigurationFile(configurationFile, process.env) };
}
