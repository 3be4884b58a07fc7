// Reads the metrics that a process of Sluice shows (Prometheus text), and what they say of the process itself.

export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

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
