// The console's part of the audit: its own chain, and the seals.

import { type AuditKeys, openAudit, type ServiceAudit, startSealer } from "@sluice/audit";
import { type Configuration, listConfigurationChanges } from "@sluice/config";
import type { ServicePorts } from "@sluice/process";

export interface ConsoleAudit extends Pick<ServiceAudit, "log" | "trail"> {
  /** Called before the configuration is replaced. */
  replaced(next: Configuration): void;
  stop(): Promise<void>;
}

/** Without `keys` this console does not seal. */
export function startConsoleAudit(ports: ServicePorts, keys?: () => AuditKeys | null): ConsoleAudit {
  const audit = openAudit(ports, "console");
  audit.log.note("started", describeConfiguration(ports.configuration));
  const sealer = keys === undefined ? null : startSealer({ ...ports, producer: audit.producer, keys });
  return {
    log: audit.log,
    trail: audit.trail,
    replaced: (next) => audit.noteConfiguration(describeConfiguration(next), listConfigurationChanges(ports.configuration, next)),
    stop() {
      sealer?.stop();
      return audit.stop();
    },
  };
}

/** With operators, their roles, banks, subjects and tokens' ids: those in force at a start are then in the audit. */
function describeConfiguration({ version, hash, operators }: Configuration) {
  const inForce = operators.map(({ id, roles, bank, subject, tokens }) =>
    [id, roles.join(" "), `bank ${bank ?? "all"}`, `subject ${subject ?? "none"}`, tokens.map((token) => token.id).join(" ")].join(": "),
  );
  return { version, hash, operators: inForce };
}
