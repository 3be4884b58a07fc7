// The report on each request: one wide log line, and the metrics. No account number, name or token is among the fields.

import { type Logger, type Metrics, splitTrace } from "@sluice/kernel";
import type { Refusals } from "@sluice/service";
import type { IngressAnswer } from "./answer.ts";
import { ingressOperations } from "../operations.ts";
import type { AppendOutcome } from "../journal/append-outcome.ts";
import type { MessageSubject } from "../intake/operation.ts";

interface RequestFields {
  /** Null: the address is that of no operation. */
  readonly operation: string | null;
  /** Id of the bank or connector, also with a credential that is not accepted; null: an unknown caller. */
  readonly caller: string | null;
  /** Which of the caller's tokens was used; null: none that is known. */
  readonly tokenId: string | null;
  /** Which certificate was shown with it; null: none was needed, or none was shown. */
  readonly certificateId?: string | null;
  /** Which of the caller's keys signed the message; null: it need not be signed, or is not. */
  readonly signatureKeyId?: string | null;
  /** The peer's address; null: not known. */
  readonly remoteAddress: string | null;
  readonly status: number;
  /** Why a known credential was not accepted; null otherwise. */
  readonly refusal?: string | null;
  /** The field and the reason of a refusal; null otherwise. */
  readonly detail: string | null;
  readonly bytes: number;
  readonly tookMs: number;
  readonly traceparent: string | null;
  readonly subject: MessageSubject | null;
  /** The outcome of the append; null: none was attempted. */
  readonly outcome: AppendOutcome | null;
}

export type IngressRequestReport = (fields: RequestFields) => void;

interface ReportPorts {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Refusals that cost nothing are sampled (`refusals`). */
export function createIngressRequestReport(ports: ReportPorts, refusals: Pick<Refusals, "hasLine">): IngressRequestReport {
  const requests = ports.metrics.counter("sluice_ingress_requests_total", "Requests answered", ["operation", "status"]);
  // An alarm asks for the increase of these: a series that begins with its first 503 has none.
  for (const { name } of ingressOperations) requests.add({ operation: name, status: "503" }, 0);
  const seconds = ports.metrics.histogram("sluice_ingress_answer_seconds", "Time from body read to answer", ["operation"]);
  return (fields) => {
    const operation = fields.operation ?? "none";
    requests.add({ operation, status: String(fields.status) });
    if (fields.outcome !== null) seconds.observe(fields.tookMs / 1_000, { operation });
    if (!refusals.hasLine(fields)) return;
    ports.logger[chooseLevel(fields.status)]("ingress.answered", {
      operation,
      caller: fields.caller,
      tokenId: fields.tokenId,
      certificateId: fields.certificateId ?? undefined,
      signatureKeyId: fields.signatureKeyId ?? undefined,
      remoteAddress: fields.remoteAddress,
      status: fields.status,
      refusal: fields.refusal ?? undefined,
      detail: fields.detail,
      uetr: fields.subject?.uetr,
      messageIdentification: fields.subject?.messageIdentification,
      ...buildAppendFields(fields.outcome),
      bytes: fields.bytes,
      tookMs: Math.round(fields.tookMs * 10) / 10,
      traceparent: fields.traceparent === null ? null : splitTrace(fields.traceparent).traceparent,
    });
  };
}

export function refusalDetail(answer: IngressAnswer): string | null {
  return answer.status === 202 ? null : answer.error.detail;
}

function buildAppendFields(outcome: AppendOutcome | null): Readonly<Record<string, string | number | bigint>> {
  if (outcome === null) return {};
  if (outcome.kind === "appended") return { append: outcome.kind, partition: outcome.partition, offset: outcome.offset };
  return { append: outcome.kind, reason: outcome.reason };
}

function chooseLevel(status: number): "info" | "warn" | "error" {
  if (status === 500) return "error";
  return status === 503 ? "warn" : "info";
}
