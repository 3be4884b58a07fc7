// Reads a service's metrics (Prometheus text), and finds those that a person should look at.

export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Milliseconds by which a clock may be off before it is reported. */
const skewMaxMs = 1_000;
const ageMaxMs = 60_000;

export function readMetrics(text: string): readonly MetricSample[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (name === undefined || Number.isNaN(Number(value))) return [];
    return [{ name, labels: parseLabels(labels), value: Number(value) }];
  });
}

function parseLabels(text: string): Readonly<Record<string, string>> {
  const pairs = text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g);
  return Object.fromEntries(
    [...pairs].map(([, name = "", value = ""]) => [name, value.replaceAll(/\\(.)/g, (_, one: string) => (one === "n" ? "\n" : one))]),
  );
}

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
    metric: "sluice_scheduler_record_age_seconds",
    isBad: (value) => value * 1_000 > ageMaxMs,
    text: ({ labels, value }) => `partition ${labels["partition"] ?? "?"} is ${Math.round(value)} s behind`,
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

/** The configuration that a service runs with; null: it does not say. */
export interface ShownConfiguration {
  readonly version: string;
  /** The first hex digits of the file's SHA-256. */
  readonly hash: string;
  /** ISO, UTC. */
  readonly since: string;
}

export function findConfiguration(samples: readonly MetricSample[]): ShownConfiguration | null {
  const shown = samples.find(({ name }) => name === "sluice_configuration_version");
  const since = samples.find(({ name }) => name === "sluice_configuration_since_seconds");
  if (shown === undefined || since === undefined) return null;
  const { version = "", hash = "" } = shown.labels;
  return { version, hash, since: new Date(since.value * 1_000).toISOString() };
}

export function findMetricWarnings(samples: readonly MetricSample[]): readonly string[] {
  return samples.flatMap((sample) =>
    warnings.filter((warning) => warning.metric === sample.name && warning.isBad(sample.value)).map((warning) => warning.text(sample)),
  );
}

function count(value: number, one: string, several: string): string {
  return `${value} ${value === 1 ? one : several}`;
}
