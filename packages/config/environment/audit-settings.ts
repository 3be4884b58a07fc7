// The settings of the console's keys: the one that seals the audit, and the one that signs operators' records.

import { optionalSetting, text } from "./setting-types.ts";

export const auditSettings = {
  SLUICE_AUDIT_KEY_FILE: optionalSetting(text).describe(
    "PEM file of the ed25519 key that seals the audit, and of the public keys of former ones; without it nothing is sealed, and the log says so.",
  ),
  SLUICE_OPERATOR_KEY_FILE: optionalSetting(text).describe(
    "PEM file of the ed25519 key with which the console signs operators' records; the public half is in `operatorSignatures` of the configuration. Without it nothing is signed.",
  ),
} as const;
