// One endpoint for tests, without partitions; its events go to the test.

import { silentLogger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { createDeliveryMetrics } from "../metrics.ts";
import { ProcessLimit } from "./retry-places.ts";
import type { AttemptAnswer } from "./attempt-answer.ts";
import { Endpoint, type EndpointOptions } from "./endpoint.ts";

export const endpointStartMs = Date.UTC(2026, 10, 20, 8);

export function createTestEndpoint(over: Partial<EndpointOptions> = {}): Endpoint {
  const time = createVirtualTime({ startAtMs: endpointStartMs });
  return new Endpoint({
    receiverId: "first",
    origin: "https://first.example",
    connections: 16,
    isLearning: true,
    attemptTimeoutMs: 5_000,
    time,
    logger: silentLogger,
    metrics: createDeliveryMetrics(silentMetrics, time),
    brokerClock: { nowMs: () => time.nowMs() },
    events: { suspended: () => {}, released: () => {}, probe: () => false, changed: () => {} },
    retryLimit: new ProcessLimit(1_000),
    ...over,
  });
}

/** Builds a 503 to the first message. */
export function buildAttemptAnswer(startedMs: number, over: Partial<AttemptAnswer> = {}): AttemptAnswer {
  return {
    class: "transient",
    uetr: "u1",
    failedBefore: 0,
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
