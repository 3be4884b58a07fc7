// Counts operators' decisions by what became of their append.

import type { Counter, Metrics } from "@sluice/kernel";

/** Labels: kind (the record's name) and outcome (appended, refused, unknown). */
export function createActionCounter(metrics: Pick<Metrics, "counter">): Counter {
  return metrics.counter("sluice_console_actions_total", "Operators' decisions that were to be appended", ["kind", "outcome"]);
}
