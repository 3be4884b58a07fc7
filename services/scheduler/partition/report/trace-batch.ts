// The spans of a batch: one for each record that belongs to a traced transaction, as long as the whole batch took.

import { headers } from "@sluice/contracts";
import { traceBelow } from "@sluice/kernel";
import type { HandledRecord } from "../../handlers/handler.ts";
import type { PartitionContext } from "../context.ts";

export function traceBatch(
  { time, tracer }: Pick<PartitionContext, "time" | "tracer">,
  handled: readonly HandledRecord[],
  tookMs: number,
): void {
  if (tracer === undefined) return;
  for (const one of handled) {
    const { record, key, name, decision, transaction } = one;
    // A fact of our own has no trace; what follows from it has that of its transaction.
    const above = record.headers[headers.traceparent] ?? one.outgoing[0]?.headers[headers.traceparent];
    traceBelow(tracer, above, () => ({
      name: `decide ${name}`,
      kind: "consumer",
      startMs: time.nowMs() - tookMs,
      tookMs,
      attributes: {
        "sluice.uetr": key,
        "sluice.decision": decision,
        "sluice.state": transaction?.state ?? "none",
        "sluice.partition": record.partition,
        "sluice.offset": String(record.offset),
        "sluice.batch.records": handled.length,
      },
      isError: decision === "dead-lettered",
    }));
  }
}
