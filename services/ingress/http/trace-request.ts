// The span of a request that was taken: from the last byte of its message to its answer.

import { isSampled, readTraceparent, type Time, type Tracer } from "@sluice/kernel";
import type { MessageSubject } from "../intake/operation.ts";

interface TakenRequest {
  /** The place of its span; null: the message was refused. */
  readonly traceparent: string | null;
  readonly tookMs: number;
  readonly status: number;
  readonly subject: MessageSubject | null;
}

export function traceRequest(
  { time, tracer }: { readonly time: Time; readonly tracer?: Tracer },
  request: { readonly operation: string; readonly caller: string; readonly traceparent?: string | null },
  { traceparent, tookMs, status, subject }: TakenRequest,
): void {
  if (tracer === undefined || !isSampled(traceparent)) return;
  tracer.record({
    traceparent,
    parentId: readTraceparent(request.traceparent)?.spanId ?? null,
    name: `take ${request.operation}`,
    kind: "server",
    startMs: time.nowMs() - tookMs,
    tookMs,
    attributes: { "http.response.status_code": status, "sluice.caller": request.caller, "sluice.uetr": subject?.uetr ?? "" },
    isError: status >= 500,
  });
}
