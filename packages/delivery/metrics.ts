// The engine's metrics. Their labels are bounded by the configured receivers, their endpoints, classes and outcomes.

import type { Counter, Gauge, Histogram, Metrics } from "@sluice/kernel";

export interface DeliveryMetrics {
  readonly attempts: Counter;
  readonly attemptSeconds: Histogram;
  readonly ended: Counter;
  readonly parked: Counter;
  readonly backlogFull: Counter;
  readonly redrives: Counter;
  readonly staleWrites: Counter;
  readonly waiting: Gauge;
  readonly paused: Gauge;
  readonly pauseTransitions: Counter;
  readonly breakerOpen: Gauge;
  readonly breakerTransitions: Counter;
  readonly probes: Counter;
  readonly retryAfterSeconds: Gauge;
  readonly concurrency: Gauge;
  readonly throttleTransitions: Counter;
}

/** Labels of an endpoint; the configuration bounds both. */
const ofEndpoint = ["receiver", "endpoint"];

export const endOutcomes = ["acknowledged", "refused", "stopped", "expired"] as const;
export const parkReasons = [
  "failed",
  "ended",
  "held",
  "spilling",
  "share",
  "slot",
  "slow",
  "over",
  "paused",
  "breaker",
  "retry-after",
] as const;

/** What an alarm counts is there from the start: a series that begins with its first count shows no increase. */
export function startDeliveryCounts(metrics: Metrics, receivers: readonly { readonly id: string }[]): void {
  const { ended, parked } = createDeliveryMetrics(metrics);
  for (const { id: receiver } of receivers) {
    for (const outcome of endOutcomes) ended.add({ receiver, outcome }, 0);
    for (const reason of parkReasons) parked.add({ receiver, reason }, 0);
  }
}

export function createDeliveryMetrics(metrics: Metrics): DeliveryMetrics {
  return {
    attempts: metrics.counter("sluice_delivery_attempts_total", "Attempts, by class of the answer.", ["receiver", "class"]),
    attemptSeconds: metrics.histogram("sluice_delivery_attempt_seconds", "How long attempts took.", ["receiver"]),
    ended: metrics.counter("sluice_delivery_ended_total", "Deliveries that ended, by outcome.", ["receiver", "outcome"]),
    parked: metrics.counter("sluice_delivery_parked_total", "Messages parked, by reason.", ["receiver", "reason"]),
    backlogFull: metrics.counter(
      "sluice_delivery_backlog_full_total",
      "Reads of parked messages that found no room, because too many before them fail.",
      [],
    ),
    redrives: metrics.counter("sluice_delivery_redrives_total", "Redrives, by result.", ["receiver", "result"]),
    staleWrites: metrics.counter(
      "sluice_delivery_stale_writes_total",
      "Writes of parked messages that came too late: lost to a newer write, or overwritten by one.",
      ["call", "result"],
    ),
    waiting: metrics.gauge("sluice_delivery_waiting_messages", "Parked messages in memory that are still tried.", [
      "receiver",
      "partition",
    ]),
    paused: metrics.gauge("sluice_delivery_receiver_paused", "1 while the receiver is paused in the partition.", ["receiver", "partition"]),
    pauseTransitions: metrics.counter("sluice_delivery_pause_transitions_total", "Pauses that began or ended in the partition.", [
      "receiver",
      "partition",
      "to",
    ]),
    breakerOpen: metrics.gauge(
      "sluice_delivery_breaker_open",
      "1 while the breaker is open and only probes are sent to the endpoint.",
      ofEndpoint,
    ),
    breakerTransitions: metrics.counter("sluice_delivery_breaker_transitions_total", "Breakers that opened or closed.", [
      ...ofEndpoint,
      "to",
    ]),
    probes: metrics.counter("sluice_delivery_probes_total", "Probes of an open breaker, by class of the answer.", [...ofEndpoint, "class"]),
    retryAfterSeconds: metrics.gauge(
      "sluice_delivery_retry_after_seconds",
      "Seconds that the receiver asked to wait with Retry-After; 0 once they are over.",
      ofEndpoint,
    ),
    concurrency: metrics.gauge("sluice_delivery_concurrency", "Learnt limit of requests at once to the endpoint.", ofEndpoint),
    throttleTransitions: metrics.counter(
      "sluice_delivery_throttle_transitions_total",
      "Endpoints that became throttled (Retry-After, or fewer requests at once than configured) or active again.",
      [...ofEndpoint, "to"],
    ),
  };
}
