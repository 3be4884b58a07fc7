// What the control API leaves in the audit.
//
// #1 A decision or an export is recorded before it is handled. While the audit cannot be written it is refused, and
//    nothing of it has happened: nobody decides over money or takes data away unseen.
// #2 A question that shows payments, or that brings a file, is answered also while the audit cannot be written: people
//    look into a trouble just then. It is recorded as soon as that is possible.
// #3 Recorded are operation, operator, address and ids. Of a filter only values that name no person and no account; of
//    a body only its hash, because a reason is a person's text. The journal has the body of a decision.

import { hash } from "node:crypto";
import type { AuditLog, ServiceAudit } from "@sluice/audit";
import type { ControlOperation, ControlOperationName } from "@sluice/contracts";
import type { ClientConnection, UsedCredentials } from "@sluice/service";
import type { ControlRequest } from "./control-handler.ts";

interface AuditedQuestion {
  readonly operation: ControlOperation & { readonly name: ControlOperationName };
  readonly question: ControlRequest;
  readonly credentials: UsedCredentials;
  readonly connection: ClientConnection | null;
}

export interface ControlAudit {
  /** False: it could not be recorded, so it must not be handled. */
  admit(asked: AuditedQuestion): Promise<boolean>;
  /** Records how a decision was answered. */
  answered(asked: AuditedQuestion, status: number): void;
}

/** Questions whose answers show single payments. */
const showsPayments: ReadonlySet<ControlOperationName> = new Set<ControlOperationName>([
  "searchTransactions",
  "showTransaction",
  "showSentRequest",
  "listHeld",
  "listUndelivered",
  "listFailing",
  "listReconciliation",
  "listDeadLetters",
  "showDeadLetter",
  "showBank",
  "listRefused",
  "listActions",
  "listOwnTransactions",
  "showOwnTransaction",
  "listOwnDeliveries",
  "listOwnEvents",
]);

/** #1 */
const exportsPayments: ReadonlySet<ControlOperationName> = new Set<ControlOperationName>([
  "exportActions",
  "exportReconciliation",
  "exportTransactions",
  "exportItemEvidence",
  "exportOwnEvents",
]);

/** #3 */
const plainFilters: ReadonlySet<string> = new Set([
  "bank",
  "side",
  "sender",
  "flow",
  "state",
  "scheme",
  "businessDate",
  "dateFrom",
  "dateTo",
  "reconciliationDay",
  "currency",
  "reason",
  "observation",
  "quarantined",
  "day",
  "row",
  "open",
  "proposed",
  "minAge",
  "format",
  "service",
  "topic",
  "why",
  "since",
  "sort",
  "receivedFrom",
  "receivedTo",
  "from",
  "to",
  "limit",
]);

export function createControlAudit({
  log,
  trail,
}: {
  readonly log: Pick<AuditLog, "note" | "record">;
  readonly trail: ServiceAudit["trail"];
}): ControlAudit {
  return {
    async admit(asked) {
      const { operation, question } = asked;
      const said = { ...describe(asked), ...(operation.method === "POST" ? { bodySha256: hash("sha256", question.body) } : {}) };
      if (operation.kind === "decision") return await log.record("decision", said);
      if (exportsPayments.has(operation.name)) return await log.record("export", said);
      if (showsPayments.has(operation.name) || operation.method === "POST") trail.note("read", said);
      return true;
    },
    answered(asked, status) {
      if (asked.operation.kind === "decision") log.note("answered", { ...describe(asked), status });
    },
  };
}

function describe({ operation, question, credentials, connection }: AuditedQuestion) {
  const { operator, path, query, actionId } = question;
  const subject = Object.entries(path).map(([name, value]) => `${name} ${value}`);
  const filter = [...query].map(([name, value]) => (plainFilters.has(name) ? `${name} ${value}` : name));
  return {
    operation: operation.name,
    operator: operator.id,
    person: operator.person,
    credential: credentials.tokenId,
    ...(credentials.certificateId === null ? {} : { certificate: credentials.certificateId }),
    address: connection?.remoteAddress ?? null,
    ...(subject.length === 0 ? {} : { subject }),
    ...(filter.length === 0 ? {} : { filter }),
    ...(operation.kind === "decision" ? { actionId } : {}),
  };
}
