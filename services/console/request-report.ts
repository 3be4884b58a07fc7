// What is written down about each question: one wide log line, and the metrics. No account number, name or token is among the fields.

import type { Time } from "@sluice/runtime";
import type { Log, Metrics } from "@sluice/telemetry";

interface Reported {
  /** Null: a caller that is not known. */
  readonly caller: string | null;
  readonly response: Response;
}

/** Runs the work and reports on it. `operation` null: none of ours; `uetr` as it was asked for: what is none may be anything, and is not written down. */
export type RequestReport = (operation: string | null, uetr: string | null, work: () => Promise<Reported>) => Promise<Response>;

const uetrForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function createRequestReport({
  time,
  log,
  metrics,
}: {
  readonly time: Time;
  readonly log: Log;
  readonly metrics: Metrics;
}): RequestReport {
  const requests = metrics.counter("sluice_console_requests_total", "Questions answered", ["operation", "status"]);
  const seconds = metrics.histogram("sluice_console_answer_seconds", "Time from question to answer", ["operation"]);
  return async (given, uetr, work) => {
    const startedMs = time.monotonicMs();
    const operation = given ?? "none";
    const { caller, response } = await work();
    const tookMs = time.monotonicMs() - startedMs;
    requests.add({ operation, status: String(response.status) });
    if (caller !== null) seconds.observe(tookMs / 1_000, { operation });
    log[response.status === 503 ? "warn" : "info"]("console.answered", {
      operation,
      caller,
      status: response.status,
      uetr: uetr !== null && uetrForm.test(uetr) ? uetr : undefined,
      tookMs: Math.round(tookMs * 10) / 10,
    });
    return response;
  };
}
