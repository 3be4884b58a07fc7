// What the validator reads at its start: the environment, the configuration file that it names, and the rule data that
// the file names. Nothing else here reads any of them.

import { configurationFileSettings, brokerSettings, readConfigurationFile, readRulesFolder } from "@sluice/config";
import { readEnvironment } from "@sluice/service";

/** Throws a Fault that names every missing or wrong setting. */
export function readValidatorConfig() {
  const { configurationFile, ...config } = readEnvironment(process.env, { ...brokerSettings, ...configurationFileSettings });
  const configuration = readConfigurationFile(configurationFile, process.env);
  return { ...config, configuration, rules: readRulesFolder(configuration.rulesFolder) };
}
