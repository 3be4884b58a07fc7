// The key with which the console signs operators' records, from the file that a setting names. The file is read again
// when it changes, so that a key is replaced without a restart.

import { createSecretFiles } from "@sluice/connection";
import { type OwnKey, watchSigningKey } from "@sluice/signatures";
import type { Need } from "../needs.ts";

const setting = "SLUICE_OPERATOR_KEY_FILE";

/** Without a file, and while it cannot be read for the first time, there is no key. */
export const operatorKey: Need<() => OwnKey | null, typeof setting> = {
  variables: [setting],
  async open({ environment: { [setting]: keyFile }, time, logger, opened }) {
    if (keyFile === null) return () => null;
    const files = createSecretFiles<string>({
      time,
      read: () => logger.info("operator-key.read", { setting }),
      notRead: (_, reason) => logger.error("operator-key.not-read", { setting, reason }),
    });
    opened.defer(() => files.stop());
    const key = watchSigningKey(files, setting, { keyFile, keyId: null });
    await files.started();
    return key;
  },
};
