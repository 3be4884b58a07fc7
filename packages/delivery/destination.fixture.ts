// An address of a receiver for tests, alone: what it does to lanes is written down.

import { silentLog, silentMetrics } from "@sluice/telemetry";
import { createVirtualTime } from "@sluice/testkit";
import { deliveryMetrics } from "./delivery-metrics.ts";
import { Destination, type Answered, type DestinationOptions } from "./destination.ts";

export const startAtMs = Date.UTC(2026, 10, 20, 8);

export function destinationOf(over: Partial<DestinationOptions> = {}): Destination {
  const time = createVirtualTime({ startAtMs });
  return new Destination({
    bank: "first",
    address: "https://first.example",
    connections: 16,
    isLearning: true,
    attemptTimeoutMs: 5_000,
    time,
    log: silentLog,
    metrics: deliveryMetrics(silentMetrics),
    agreed: { nowMs: () => time.nowMs() },
    events: { held: () => {}, released: () => {}, probe: () => false, changed: () => {} },
    ...over,
  });
}

/** 503 to the first of all messages. */
export function answerAt(startedMs: number, over: Partial<Answered> = {}): Answered {
  return {
    class: "transient",
    uetr: "u1",
    status: 503,
    isTimeout: false,
    isDuplicateCode: false,
    retryAfter: null,
    tookMs: 5,
    startedMs,
    nowMs: startedMs,
    ...over,
  };
}
