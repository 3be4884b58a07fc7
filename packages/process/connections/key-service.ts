// The data keys of a process, from the settings of the environment.
//
// #1 A process that has to seal does not start without a key service: nothing is written in clear by mistake.
// #2 One that does not may have none: it waits at the first record that is sealed.

import { type Configuration, keySettings, type KeySetting, type ServiceEnvironment, settingNames } from "@sluice/config";
import { Fault, machineRandom } from "@sluice/kernel";
import { createDataKeys, createVaultKeys, type DataKeys, type KeyService, openKeyring } from "@sluice/secrecy";
import { type ConnectionFilesOptions, watchConnectionFiles } from "./connection-files.ts";

export const keyVariables = settingNames(keySettings);

/** Null: none is configured. Rejects with the retryable Fault `process.secret-not-read` while a file cannot be read. */
export async function openKeyService(
  environment: Pick<ServiceEnvironment, KeySetting>,
  options: ConnectionFilesOptions,
): Promise<KeyService | null> {
  const { SLUICE_KEYRING_FOLDER: folder, SLUICE_VAULT_URL: url, SLUICE_VAULT_MOUNT: mount } = environment;
  if (folder !== null && url !== null) throw wrongSettings("SLUICE_KEYRING_FOLDER and SLUICE_VAULT_URL are both set");
  if (folder !== null) return openKeyring(folder, machineRandom);
  if (url === null) return null;
  if (environment.SLUICE_VAULT_TOKEN_FILE === null) throw wrongSettings("SLUICE_VAULT_URL is set, and SLUICE_VAULT_TOKEN_FILE is not");
  const files = watchConnectionFiles(options);
  const token = files.line("SLUICE_VAULT_TOKEN_FILE", environment.SLUICE_VAULT_TOKEN_FILE);
  const tls = files.secureContext("SLUICE_VAULT_TLS_CA_FILE", { caFile: environment.SLUICE_VAULT_TLS_CA_FILE, own: null });
  await files.read();
  return createVaultKeys({ url, mount, token, ...(url.startsWith("https:") ? { tls } : {}), time: options.time });
}

/** #1, #2 */
export async function openDataKeys(
  environment: Pick<ServiceEnvironment, KeySetting>,
  { sealPersonalData }: Pick<Configuration, "sealPersonalData">,
  options: ConnectionFilesOptions,
): Promise<DataKeys | null> {
  const service = await openKeyService(environment, options);
  if (service === null && sealPersonalData) throw wrongSettings("sealPersonalData needs SLUICE_KEYRING_FOLDER or SLUICE_VAULT_URL");
  return service === null ? null : createDataKeys({ service, time: options.time });
}

function wrongSettings(text: string): Fault {
  return new Fault("process.key-settings", text, { isRetryable: false });
}
