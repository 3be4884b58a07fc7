// What ingress reads at its start: the environment, and the configuration file that it names. Nothing else here reads
// either.

import { configurationFileSettings, brokerSettings, readConfigurationFile } from "@sluice/config";
import { integerVariable, readEnvironment, textVariable } from "@sluice/service";

/** Port 0 means any free port. Throws a Fault that names every missing or wrong setting. */
export function readIngressConfig() {
  const environment = process.env;
  const config = readEnvironment(environment, {
    ...brokerSettings,
    ...configurationFileSettings,
    host: textVariable("SLUICE_HTTP_HOST", "127.0.0.1"),
    port: integerVariable("SLUICE_HTTP_PORT", { min: 0, max: 65_535, fallback: 0 }),
  });
  return { ...config, environment, configuration: readConfigurationFile(config.configurationFile, environment) };
}
