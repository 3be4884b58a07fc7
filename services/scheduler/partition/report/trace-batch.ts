// The spans of a batch: one for each record that belongs to a traced transaction, as long as the whole batch took, and
// one of the batch itself.
//
// #1 The batch's span has a trace of its own and is linked with the spans of its traced records, both ways: it is the
//    work on all of them at once.
// #2 A batch without a traced record has no span.

import { readTrace } from "@sluice/contracts";
import { isSampled, readTraceparent } from "@sluice/kernel";
import type { HandledRecord } from "../../handlers/handler.ts";
import type { PartitionContext } from "../context.ts";

export function traceBatch(
  { time, tracer }: Pick<PartitionContext, "time" | "tracer">,
  handled: readonly HandledRecord[],
  tookMs: number,
): void {
  if (tracer === undefined) return;
  const traced = handled.flatMap((one) => {
    // A fact of our own has no trace; what follows from it has that of its transaction.
    const above = readTrace(one.record.headers) ?? readTrace(one.outgoing[0]?.headers ?? {});
    return isSampled(above) ? [{ ...one, above, place: tracer.below(above) }] : [];
  });
  const [first] = traced;
  if (first === undefined) return;
  const batch = tracer.apart();
  const common = { kind: "consumer", startMs: time.nowMs() - tookMs, tookMs } as const;
  for (const { record, key, name, decision, transaction, above, place } of traced) {
    tracer.record({
      ...common,
      traceparent: place,
      parentId: readTraceparent(above)?.spanId ?? null,
      name: `decide ${name}`,
      attributes: {
        "sluice.uetr": key,
        "sluice.decision": decision,
        "sluice.state": transaction?.state ?? "none",
        "sluice.partition": record.partition,
        "sluice.offset": String(record.offset),
        "sluice.batch.records": handled.length,
      },
      isError: decision === "dead-lettered",
      links: [batch],
    });
  }
  tracer.record({
    ...common,
    traceparent: batch,
    parentId: null,
    name: "decide batch",
    attributes: { "sluice.partition": first.record.partition, "sluice.batch.records": handled.length },
    isError: false,
    links: traced.map(({ place }) => place),
  });
}
