// What the validator takes from outside at its start: the environment, the configuration file that it names, and the rule data that this
// one names. Nothing else here reads any of them.

import { fileSettings, logSettings, readConfigurationFile, readRulesFolder } from "@sluice/config";
import { readEnvironment } from "@sluice/runtime";

/** Throws a Fault that names everything missing or wrong. */
export function readValidatorConfig() {
  const { configurationFile, ...config } = readEnvironment(process.env, { ...logSettings, ...fileSettings });
  const configuration = readConfigurationFile(configurationFile, process.env);
  return { ...config, configuration, rules: readRulesFolder(configuration.rulesFolder) };
}
