// `./sluice audit make-key`: makes the key that seals the audit.

import { Fault } from "@sluice/kernel";
import type { RunVerb, Verb } from "../../terminal/verb.ts";
import { writeAuditKey } from "./audit-key-file.ts";

const run: RunVerb = async (call) => {
  const [path = ""] = call.positionals;
  try {
    process.stdout.write(writeAuditKey(path));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new Fault("cli.key-not-written", `${path} cannot be written: ${code}`, { isRetryable: false });
  }
  return await Promise.resolve(0);
};

export const auditMakeKeyVerb: Verb = {
  name: "audit make-key",
  summary: "makes the key that seals the audit: writes the private key to a new file, and prints the public key",
  arguments: [{ placeholder: "FILE", text: "the file of the private key, for SLUICE_AUDIT_KEY_FILE", completes: "files" }],
  options: {},
  notes: [
    "Only its owner can read the file, and an existing file is never changed.",
    "To verify, the public key alone is needed. Keep it where those who run Sluice cannot replace it.",
  ],
  examples: ["audit make-key audit-key.pem"],
  run,
};
