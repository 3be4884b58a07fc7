// The delivery that a parked message is, read from the copy of its record in the store.

import { Fault } from "@sluice/runtime";
import type { ParkedMessage } from "@sluice/store";
import type { EngineContext } from "./context.ts";
import type { Delivery } from "./delivery.ts";

/** Rejects with a retryable Fault while the record's schema cannot be had. */
export async function readParked(context: EngineContext, { record, sequence, traceparent }: ParkedMessage): Promise<Delivery> {
  try {
    return context.rules.delivery(record, { sequence, traceparent });
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "contracts.unknown-schema") throw error;
    await context.serde.learn(record);
    return context.rules.delivery(record, { sequence, traceparent });
  }
}
