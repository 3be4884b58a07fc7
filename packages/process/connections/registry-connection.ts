// How the schema registry is reached, from the settings of the environment.

import { registrySettings, type RegistrySetting, type ServiceEnvironment, settingNames } from "@sluice/config";
import type { RegistryConnection } from "@sluice/contracts";
import { type ConnectionFilesOptions, watchConnectionFiles } from "./connection-files.ts";

export const registryVariables = settingNames(registrySettings);

/** Rejects with the retryable Fault `process.secret-not-read` while a file cannot be read. */
export async function registryConnection(
  environment: Pick<ServiceEnvironment, RegistrySetting>,
  options: ConnectionFilesOptions,
): Promise<RegistryConnection> {
  const files = watchConnectionFiles(options);
  const { SCHEMA_REGISTRY_URL: url, SCHEMA_REGISTRY_USERNAME: username, SCHEMA_REGISTRY_PASSWORD_FILE: passwordFile } = environment;
  const { SCHEMA_REGISTRY_TLS_CA_FILE: caFile } = environment;
  const { SCHEMA_REGISTRY_TLS_CERTIFICATE_FILE: certificateFile, SCHEMA_REGISTRY_TLS_KEY_FILE: keyFile } = environment;
  const own = certificateFile === null || keyFile === null ? null : { certificateFile, keyFile };
  const tls = files.secureContext(own === null ? "SCHEMA_REGISTRY_TLS_CA_FILE" : "SCHEMA_REGISTRY_TLS_KEY_FILE", { caFile, own });
  const password = passwordFile === null ? null : files.line("SCHEMA_REGISTRY_PASSWORD_FILE", passwordFile);
  await files.read();
  const login = username === null || password === null ? {} : { login: () => ({ username, password: password() }) };
  return { url, ...(url.startsWith("https:") ? { tls } : {}), ...login };
}
