// The span of one attempt: from the request to its answer.

import { readTraceparent } from "@sluice/kernel";
import type { EngineContext } from "../context.ts";
import type { Delivery } from "../rules.ts";
import type { AnswerClass } from "./retry-law.ts";

interface TracedAttempt {
  readonly number: number;
  readonly atMs: number;
  readonly tookMs: number;
  readonly status: number | null;
  readonly class: AnswerClass;
}

/** `traceparent` is the place of the span; null: the attempt is not traced. */
export function traceAttempt(
  { tracer, rules }: Pick<EngineContext, "tracer" | "rules">,
  delivery: Delivery,
  traceparent: string | null,
  attempt: TracedAttempt,
): void {
  if (tracer === undefined || traceparent === null) return;
  tracer.record({
    traceparent,
    parentId: readTraceparent(delivery.traceparent)?.spanId ?? null,
    name: `deliver ${delivery.operation}`,
    kind: "client",
    startMs: attempt.atMs,
    tookMs: attempt.tookMs,
    attributes: {
      "sluice.uetr": delivery.uetr,
      "sluice.receiver": delivery.receiverId,
      "sluice.service": rules.service,
      "sluice.attempt": attempt.number,
      "sluice.answer": attempt.class,
      ...(attempt.status === null ? {} : { "http.response.status_code": attempt.status }),
      ...(delivery.stageVersion === null ? {} : { "sluice.stage_version": delivery.stageVersion }),
    },
    isError: attempt.class !== "acknowledged",
  });
}
