// The delivery that a parked message is, read from the copy of its record in the store.

import { Fault } from "@sluice/runtime";
import type { ParkedMessage } from "@sluice/store";
import type { EngineContext } from "./context.ts";
import type { Delivery } from "./delivery.ts";
import { deadlineOf } from "./lane.ts";

/** Rejects with a retryable Fault while the record's schema cannot be had. */
export async function readParked(context: EngineContext, parked: ParkedMessage): Promise<Delivery> {
  const { record, sequence, traceparent } = parked;
  const read = (): Delivery => ({ ...context.rules.delivery(record, { sequence, traceparent }), deadlineMs: deadlineOf(parked) });
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "contracts.unknown-schema") throw error;
    await context.serde.learn(record);
    return read();
  }
}
