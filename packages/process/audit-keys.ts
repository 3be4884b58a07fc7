// The keys that seal the audit, from the file that a setting names. The file is read again when it changes, so that a
// key is replaced without a restart.

import { type AuditKeys, readAuditKeys } from "@sluice/audit";
import { createSecretFiles } from "@sluice/connection";
import type { Need } from "./needs.ts";

/** Without a file, and while it cannot be read for the first time, there is no key. */
export const auditKeys: Need<() => AuditKeys | null, "SLUICE_AUDIT_KEY_FILE"> = {
  variables: ["SLUICE_AUDIT_KEY_FILE"],
  async open({ environment: { SLUICE_AUDIT_KEY_FILE: path }, time, logger, opened }) {
    if (path === null) return () => null;
    const files = createSecretFiles<string>({
      time,
      read: (setting) => logger.info("audit.keys-read", { setting }),
      notRead: (setting, code) => logger.error("audit.keys-not-read", { setting, reason: code }),
    });
    opened.defer(() => files.stop());
    const keys = files.watch({ owner: "SLUICE_AUDIT_KEY_FILE", paths: [path], make: ([content]) => readAuditKeys(String(content)) });
    await files.started();
    return keys;
  },
};
