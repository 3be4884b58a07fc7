// Reads the delivery of a parked message from the copy of its record in the store.

import { Fault } from "@sluice/kernel";
import type { ParkedMessage } from "@sluice/store";
import type { EngineContext } from "../context.ts";
import type { Delivery } from "../rules.ts";
import { effectiveDeadlineMs } from "../partition/delivery-partition.ts";

const needsLearning: ReadonlySet<string> = new Set(["contracts.unknown-schema", "contracts.no-key"]);

/** Rejects with a retryable Fault while the record's schema or key cannot be fetched. */
export async function readParkedDelivery(context: EngineContext, parked: ParkedMessage): Promise<Delivery> {
  const { record, sequence, traceparent } = parked;
  const read = (): Delivery => ({
    ...context.rules.readDelivery(record, { sequence, traceparent }),
    deadlineMs: effectiveDeadlineMs(parked),
  });
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Fault) || !needsLearning.has(error.code)) throw error;
    await context.serde.learn(record);
    return read();
  }
}
