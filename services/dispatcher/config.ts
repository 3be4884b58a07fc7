// The dispatcher's configuration at its start: the environment, and the configuration file that it names. Nothing else
// here reads either.

import { configurationFileSettings, brokerSettings, readConfigurationFile, storeSettings } from "@sluice/config";
import { readEnvironment } from "@sluice/service";

/** Reads the configuration; throws a Fault that names everything missing or wrong. */
export function readDispatcherConfig() {
  const { configurationFile, ...config } = readEnvironment(process.env, {
    ...brokerSettings,
    ...storeSettings,
    ...configurationFileSettings,
  });
  return { ...config, configuration: readConfigurationFile(configurationFile, process.env) };
}
