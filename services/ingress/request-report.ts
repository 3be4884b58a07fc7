// What is written down about each request: one wide log line, and the metrics. No account number, name or token is among the fields.

import type { Log, Metrics } from "@sluice/telemetry";
import type { IngressAnswer } from "./answer.ts";
import type { AppendOutcome } from "./journal-appender.ts";
import type { Subject } from "./operation.ts";

export interface RequestFields {
  /** Null: no operation of ours. */
  readonly operation: string | null;
  /** Null: a caller that is not known. */
  readonly bank: string | null;
  readonly status: number;
  /** Which field and why, of a refusal. */
  readonly detail: string | null;
  readonly bytes: number;
  readonly tookMs: number;
  readonly traceparent: string | null;
  readonly subject: Subject | null;
  /** What became of the append; null: none was tried. */
  readonly outcome: AppendOutcome | null;
}

export type RequestReport = (fields: RequestFields) => void;

export function createRequestReport(ports: { readonly log: Log; readonly metrics: Metrics }): RequestReport {
  const requests = ports.metrics.counter("sluice_ingress_requests_total", "Requests answered", ["operation", "status"]);
  const seconds = ports.metrics.histogram("sluice_ingress_answer_seconds", "Time from body read to answer", ["operation"]);
  return (fields) => {
    const operation = fields.operation ?? "none";
    requests.add({ operation, status: String(fields.status) });
    if (fields.outcome !== null) seconds.observe(fields.tookMs / 1_000, { operation });
    ports.log[levelOf(fields.status)]("ingress.answered", {
      operation,
      bank: fields.bank,
      status: fields.status,
      detail: fields.detail,
      uetr: fields.subject?.uetr,
      messageIdentification: fields.subject?.messageIdentification,
      ...placeOf(fields.outcome),
      bytes: fields.bytes,
      tookMs: Math.round(fields.tookMs * 10) / 10,
      traceparent: fields.traceparent,
    });
  };
}

export function detailOf(answer: IngressAnswer): string | null {
  return answer.status === 202 ? null : answer.error.detail;
}

function placeOf(outcome: AppendOutcome | null): Readonly<Record<string, string | number | bigint>> {
  if (outcome === null) return {};
  if (outcome.kind === "appended") return { append: outcome.kind, partition: outcome.partition, offset: outcome.offset };
  return { append: outcome.kind, reason: outcome.kind === "unknown" ? outcome.reason : outcome.obstacle };
}

function levelOf(status: number): "info" | "warn" | "error" {
  if (status === 500) return "error";
  return status === 503 ? "warn" : "info";
}
