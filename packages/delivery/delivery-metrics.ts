// The engine's metrics. Labels are bounded: banks of the configuration, classes and outcomes.

import type { Counter, Gauge, Histogram, Metrics } from "@sluice/telemetry";

export interface DeliveryMetrics {
  readonly attempts: Counter;
  readonly attemptSeconds: Histogram;
  readonly ended: Counter;
  readonly parked: Counter;
  readonly redrives: Counter;
  readonly waiting: Gauge;
  readonly paused: Gauge;
  readonly pauseTransitions: Counter;
  readonly breakerOpen: Gauge;
  readonly breakerTransitions: Counter;
  readonly probes: Counter;
  readonly gateSeconds: Gauge;
  readonly concurrency: Gauge;
  readonly throttleTransitions: Counter;
}

/** Origins of the configuration: bounded. */
const ofAddress = ["bank", "address"];

export function deliveryMetrics(metrics: Metrics): DeliveryMetrics {
  return {
    attempts: metrics.counter("sluice_delivery_attempts_total", "Attempts, by class of the answer.", ["bank", "class"]),
    attemptSeconds: metrics.histogram("sluice_delivery_attempt_seconds", "How long attempts took.", ["bank"]),
    ended: metrics.counter("sluice_delivery_ended_total", "Deliveries that ended, by outcome.", ["bank", "outcome"]),
    parked: metrics.counter("sluice_delivery_parked_total", "Messages parked, by reason.", ["bank", "reason"]),
    redrives: metrics.counter("sluice_delivery_redrives_total", "Redrives, by what became of them.", ["bank", "result"]),
    waiting: metrics.gauge("sluice_delivery_waiting_messages", "Parked messages that are tried, in memory.", ["bank", "lane"]),
    paused: metrics.gauge("sluice_delivery_bank_paused", "1 while an operator's pause holds the receiver in that lane.", ["bank", "lane"]),
    pauseTransitions: metrics.counter("sluice_delivery_pause_transitions_total", "Pauses that a lane began or ended.", [
      "bank",
      "lane",
      "to",
    ]),
    breakerOpen: metrics.gauge("sluice_delivery_breaker_open", "1 while nothing but probes is sent to the address.", ofAddress),
    breakerTransitions: metrics.counter("sluice_delivery_breaker_transitions_total", "Breakers that opened or closed.", [
      ...ofAddress,
      "to",
    ]),
    probes: metrics.counter("sluice_delivery_probes_total", "Probes of an open breaker, by class of the answer.", [...ofAddress, "class"]),
    gateSeconds: metrics.gauge(
      "sluice_delivery_gate_seconds",
      "How long the receiver asked to wait, while that lasts; 0 after it.",
      ofAddress,
    ),
    concurrency: metrics.gauge("sluice_delivery_concurrency", "Requests at once that the address is given, as learnt.", ofAddress),
    throttleTransitions: metrics.counter(
      "sluice_delivery_throttle_transitions_total",
      "Addresses that asked to wait or bear fewer requests than configured, and that do not any more.",
      [...ofAddress, "to"],
    ),
  };
}
