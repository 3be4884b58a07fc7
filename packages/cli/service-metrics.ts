// Metrics of a service as it serves them (Prometheus text), and what of them a person should look at.

export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A clock further off than this is an alarm. */
const skewMaxMs = 1_000;
const ageMaxMs = 60_000;

export function readMetrics(text: string): readonly MetricSample[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (name === undefined || Number.isNaN(Number(value))) return [];
    return [{ name, labels: labelsIn(labels), value: Number(value) }];
  });
}

function labelsIn(text: string): Readonly<Record<string, string>> {
  const pairs = text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g);
  return Object.fromEntries(
    [...pairs].map(([, name = "", value = ""]) => [name, value.replaceAll(/\\(.)/g, (_, one: string) => (one === "n" ? "\n" : one))]),
  );
}

interface Notice {
  readonly metric: string;
  isBad(value: number): boolean;
  text(sample: MetricSample): string;
}

const notices: readonly Notice[] = [
  {
    metric: "sluice_clock_skew_milliseconds",
    isBad: (value) => Math.abs(value) > skewMaxMs,
    text: ({ value }) => `its clock is ${Math.round(value)} ms off the log's: correct it; windows are opened by the log's time`,
  },
  {
    metric: "sluice_conservation_broken",
    isBad: (value) => value > 0,
    text: ({ labels }) => `lane ${labels["lane"] ?? "?"}: accepted is not the sum of what became of it; see the log, conservation.broken`,
  },
  {
    metric: "sluice_scheduler_windows_missed_total",
    isBad: (value) => value > 0,
    text: ({ value }) => `${value} windows were missed since it started`,
  },
  {
    metric: "sluice_scheduler_dead_letters_total",
    isBad: (value) => value > 0,
    text: ({ labels, value }) => `${value} records (${labels["fact"] ?? "?"}) lie in the dead letters`,
  },
  {
    metric: "sluice_scheduler_record_age_milliseconds",
    isBad: (value) => value > ageMaxMs,
    text: ({ labels, value }) => `lane ${labels["lane"] ?? "?"} is ${Math.round(value / 1_000)} s behind`,
  },
  {
    metric: "sluice_delivery_breaker_open",
    isBad: (value) => value > 0,
    text: ({ labels }) =>
      `${labels["bank"] ?? "?"} takes nothing at ${labels["address"] ?? "?"}: breaker open; ./sluice bank list says why`,
  },
];

export function noticesIn(samples: readonly MetricSample[]): readonly string[] {
  return samples.flatMap((sample) =>
    notices.filter((notice) => notice.metric === sample.name && notice.isBad(sample.value)).map((notice) => notice.text(sample)),
  );
}
