// Everything that the console takes from outside at its start: environment variables, the configuration file that they
// name, and the document of the control API. No other file here reads any of them.

import { readFileSync } from "node:fs";
import { configurationFileSettings, brokerSettings, readConfigurationFile, storeSettings } from "@sluice/config";
import { integerVariable, readEnvironment, textVariable } from "@sluice/service";

/** Port 0 takes any free port. Throws a Fault that lists everything missing or wrong. */
export function readConsoleConfig() {
  const environment = process.env;
  const config = readEnvironment(environment, {
    ...brokerSettings,
    ...storeSettings,
    ...configurationFileSettings,
    host: textVariable("SLUICE_HTTP_HOST", "127.0.0.1"),
    port: integerVariable("SLUICE_CONSOLE_PORT", { min: 0, max: 65_535, fallback: 0 }),
    controlPort: integerVariable("SLUICE_CONTROL_PORT", { min: 0, max: 65_535, fallback: 0 }),
  });
  const controlDocument = readFileSync(new URL("../../docs/api/control.json", import.meta.url), "utf8");
  return { ...config, controlDocument, environment, configuration: readConfigurationFile(config.configurationFile, environment) };
}
