// Finds the metrics of a service that a person should look at.

import type { MetricSample } from "@sluice/kernel";

/** Milliseconds by which a clock may be off before it is reported. */
const skewMaxMs = 1_000;
const ageMaxMs = 60_000;

interface MetricWarning {
  readonly metric: string;
  isBad(value: number): boolean;
  text(sample: MetricSample): string;
}

const warnings: readonly MetricWarning[] = [
  {
    metric: "sluice_clock_skew_seconds",
    isBad: (value) => Math.abs(value) * 1_000 > skewMaxMs,
    text: ({ value }) =>
      `its clock is ${Math.round(value * 1_000)} ms off the broker's: correct it; windows are opened by the broker clock`,
  },
  {
    metric: "sluice_conservation_broken",
    isBad: (value) => value > 0,
    text: ({ labels }) =>
      `partition ${labels["partition"] ?? "?"}: accepted is not the sum of what became of it; see the log event conservation.broken`,
  },
  {
    metric: "sluice_scheduler_windows_missed_total",
    isBad: (value) => value > 0,
    text: ({ value }) => `${count(value, "window was", "windows were")} missed since it started`,
  },
  {
    metric: "sluice_scheduler_dead_letters_total",
    isBad: (value) => value > 0,
    text: ({ labels, value }) => `${count(value, "record is a dead letter", "records are dead letters")}: ${labels["fact"] ?? "?"}`,
  },
  {
    metric: "sluice_scheduler_debits_at_closed_gates",
    isBad: (value) => value > 0,
    text: ({ labels, value }) =>
      `the window is open, and ${count(value, "debit", "debits")} to ${labels["bank"] ?? "?"} cannot leave: gate closed; ./sluice held says why`,
  },
  {
    metric: "sluice_partition_record_age_seconds",
    isBad: (value) => value * 1_000 > ageMaxMs,
    text: ({ labels, value }) => `${labels["topic"] ?? "?"}/${labels["partition"] ?? "?"} is ${Math.round(value)} s behind`,
  },
  {
    metric: "sluice_partition_unreadable_batches",
    isBad: (value) => value > 0,
    text: ({ labels }) =>
      `${labels["topic"] ?? "?"}/${labels["partition"] ?? "?"} stands at a batch that cannot be read: docs/runbooks/a-batch-cannot-be-read.md`,
  },
  {
    metric: "sluice_console_proposals_waiting",
    isBad: (value) => value > 0,
    text: ({ value }) => `${count(value, "decision waits", "decisions wait")} for a second person: ./sluice proposals`,
  },
  {
    metric: "sluice_configuration_refused",
    isBad: (value) => value > 0,
    text: () => "its configuration file is refused, and a former one is in force: ./sluice logs says why (configuration.refused)",
  },
  {
    metric: "sluice_delivery_breaker_open",
    isBad: (value) => value > 0,
    text: ({ labels }) =>
      `${labels["receiver"] ?? "?"} acknowledges nothing at ${labels["endpoint"] ?? "?"}: breaker open; ./sluice bank list says why`,
  },
];

export function findMetricWarnings(samples: readonly MetricSample[]): readonly string[] {
  return samples.flatMap((sample) =>
    warnings.filter((warning) => warning.metric === sample.name && warning.isBad(sample.value)).map((warning) => warning.text(sample)),
  );
}

function count(value: number, one: string, several: string): string {
  return `${value} ${value === 1 ? one : several}`;
}
