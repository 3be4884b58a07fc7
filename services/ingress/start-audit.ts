// What ingress leaves in the audit: who came, who was refused, and what its configuration changed.

import { noteAccess, openAudit } from "@sluice/audit";
import { type Configuration, listConfigurationChanges } from "@sluice/config";
import type { ServicePorts } from "@sluice/process";
import type { IngressRequestReport } from "./http/request-report.ts";

export interface IngressAudit {
  /** Notes each answered request, and reports it. */
  auditing(report: IngressRequestReport): IngressRequestReport;
  /** What the file says now; new parties count only later. */
  replaced(next: Configuration): void;
  stop(): Promise<void>;
}

export function startIngressAudit(ports: ServicePorts): IngressAudit {
  const audit = openAudit(ports, "ingress");
  let seen = ports.configuration;
  audit.log.note("started", describeVersion(seen));
  return {
    auditing: (report) => (fields) => {
      noteAccess(audit.trail, {
        ...fields,
        credential: fields.tokenId,
        certificate: fields.certificateId ?? null,
        signature: fields.signatureKeyId ?? null,
      });
      report(fields);
    },
    replaced(next) {
      audit.noteConfiguration(describeVersion(next), listConfigurationChanges(seen, next));
      seen = next;
    },
    stop: () => audit.stop(),
  };
}

function describeVersion({ version, hash }: Configuration) {
  return { version, hash };
}
