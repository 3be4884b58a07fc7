// The engine's metrics. The engine names the receiver and the partition each time; what is shown has neither, but for
// the receivers in trouble (telemetry/receiver-series.ts). So the lines of a scrape are bounded by classes, reasons and
// outcomes, and not by the configured receivers.

import type { Counter, Gauge, Histogram, Metrics, Time } from "@sluice/kernel";
import { ReceiverSeries } from "./telemetry/receiver-series.ts";

export interface DeliveryMetrics {
  readonly attempts: Counter;
  readonly attemptSeconds: Histogram;
  readonly ended: Counter;
  readonly parked: Counter;
  readonly backlogFull: Counter;
  readonly redrives: Counter;
  readonly giveUps: Counter;
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
  /** Forgets an endpoint that no longer exists. */
  forgetEndpoint(labels: Readonly<Record<string, string>>): void;
}

type Labels = Readonly<Record<string, string>>;

export const endOutcomes = ["acknowledged", "refused", "stopped", "expired", "given-up"] as const;
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
  "handed-over",
] as const;

export const staleCalls = ["insert", "update", "remove"] as const;
export const staleResults = ["lost", "overwritten", "removed"] as const;

export function createDeliveryMetrics(metrics: Metrics, time: Time): DeliveryMetrics {
  const series = new ReceiverSeries(metrics, time);
  const { waiting, paused, breakerOpen, retryAfterSeconds, concurrency } = series;
  const attemptSeconds = metrics.histogram("sluice_delivery_attempt_seconds", "How long attempts took.");
  const overAll = (name: string, help: string, label: string, record?: (labels: Labels) => void): Counter =>
    countOver(metrics.counter(name, help, [label]), label, record);
  const ended = metrics.counter("sluice_delivery_ended_total", "Deliveries that ended, by outcome.", ["outcome"]);
  const parked = metrics.counter("sluice_delivery_parked_total", "Messages parked, by reason.", ["reason"]);
  const backlogFull = metrics.counter(
    "sluice_delivery_backlog_full_total",
    "Reads of parked messages that found no room, because too many before them fail.",
    [],
  );
  const staleWrites = metrics.counter(
    "sluice_delivery_stale_writes_total",
    "Writes of parked messages that came too late: lost to a newer write, overwritten by one, or removed.",
    ["call", "result"],
  );
  // What an alarm counts is there from the start: a series that begins with its first count shows no increase.
  for (const outcome of endOutcomes) ended.add({ outcome }, 0);
  for (const reason of parkReasons) parked.add({ reason }, 0);
  backlogFull.add({}, 0);
  for (const call of staleCalls) for (const result of staleResults) staleWrites.add({ call, result }, 0);
  return {
    attempts: overAll("sluice_delivery_attempts_total", "Attempts, by class of the answer.", "class"),
    attemptSeconds: { observe: (seconds) => attemptSeconds.observe(seconds) },
    ended: countOver(ended, "outcome", ({ receiver = "", outcome = "" }) => series.recordEnded(receiver, outcome)),
    parked: countOver(parked, "reason", ({ receiver = "" }) => series.recordParked(receiver)),
    backlogFull,
    redrives: overAll("sluice_delivery_redrives_total", "Redrives, by result.", "result"),
    giveUps: overAll("sluice_delivery_operator_stops_total", "Stops of deliveries by operators, by result.", "result"),
    staleWrites,
    waiting,
    paused,
    pauseTransitions: overAll("sluice_delivery_pause_transitions_total", "Pauses that began or ended, in each partition.", "to"),
    breakerOpen,
    breakerTransitions: overAll("sluice_delivery_breaker_transitions_total", "Breakers that opened or closed.", "to", (labels) => {
      if (labels["to"] === "open") series.recordOpened(labels);
    }),
    probes: overAll("sluice_delivery_probes_total", "Probes of an open breaker, by class of the answer.", "class"),
    retryAfterSeconds,
    concurrency,
    throttleTransitions: overAll(
      "sluice_delivery_throttle_transitions_total",
      "Endpoints that became throttled (Retry-After, or fewer requests at once than configured) or active again.",
      "to",
    ),
    forgetEndpoint: (labels) => series.forgetEndpoint(labels),
  };
}

/**
 * Counts by one label alone, and lets `record` see all labels. The values of the label are few, and each has its labels
 * made once: every message is counted twice.
 */
function countOver(counter: Counter, label: string, record: (labels: Labels) => void = () => {}): Counter {
  const labelsByValue = new Map<string, Labels>();
  return {
    add(labels = {}, by) {
      const value = labels[label] ?? "";
      let own = labelsByValue.get(value);
      if (own === undefined) labelsByValue.set(value, (own = { [label]: value }));
      counter.add(own, by);
      record(labels);
    },
  };
}
