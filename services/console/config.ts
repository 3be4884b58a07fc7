// What the console takes from outside at its start: the environment, the configuration file that it names, and the control
// API's document. Nothing else here reads either.

import { readFileSync } from "node:fs";
import { fileSettings, logSettings, readConfigurationFile, storeSettings } from "@sluice/config";
import { integer, readEnvironment, text } from "@sluice/runtime";

/** Port 0: any free one. Throws a Fault that names everything missing or wrong. */
export function readConsoleConfig() {
  const environment = process.env;
  const config = readEnvironment(environment, {
    ...logSettings,
    ...storeSettings,
    ...fileSettings,
    host: text("SLUICE_HTTP_HOST", "127.0.0.1"),
    port: integer("SLUICE_CONSOLE_PORT", { min: 0, max: 65_535, fallback: 0 }),
    controlPort: integer("SLUICE_CONTROL_PORT", { min: 0, max: 65_535, fallback: 0 }),
  });
  const controlDocument = readFileSync(new URL("../../docs/api/control.json", import.meta.url), "utf8");
  return { ...config, controlDocument, environment, configuration: readConfigurationFile(config.configurationFile, environment) };
}
