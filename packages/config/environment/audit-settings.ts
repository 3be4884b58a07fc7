// The setting of the key that seals the audit.

import { optionalSetting, text } from "./setting-types.ts";

export const auditSettings = {
  SLUICE_AUDIT_KEY_FILE: optionalSetting(text).describe(
    "PEM file of the ed25519 key that seals the audit, and of the public keys of former ones; without it nothing is sealed, and the log says so.",
  ),
} as const;
