// The settings of the key service, which holds the keys that personal data is sealed with.

import { address, optionalSetting, text } from "./setting-types.ts";

export const keySettings = {
  SLUICE_KEYRING_FOLDER: optionalSetting(text).describe(
    "Folder of keys that seal personal data, made on its first use: for a laptop. All processes need the same folder.",
  ),
  SLUICE_VAULT_URL: optionalSetting(address("http", "https")).describe(
    "Address of Vault, whose transit engine holds the keys that seal personal data; not with `SLUICE_KEYRING_FOLDER`.",
  ),
  SLUICE_VAULT_MOUNT: text.default("transit").describe("Where Vault's transit engine is mounted."),
  SLUICE_VAULT_TOKEN_FILE: optionalSetting(text).describe("File with the token for Vault, read again when it changes."),
  SLUICE_VAULT_TLS_CA_FILE: optionalSetting(text).describe(
    "PEM file of the authorities that must have issued Vault's certificate; the public ones where it is not given.",
  ),
} as const;

export type KeySetting = keyof typeof keySettings;
