// The metrics port. Its adapter is `prometheus-metrics.ts` of @sluice/service; tests and simulation use
// `silentMetrics`.

export interface Counter {
  add(labels?: Readonly<Record<string, string>>, by?: number): void;
}

export interface Gauge {
  set(value: number, labels?: Readonly<Record<string, string>>): void;
}

export interface Histogram {
  observe(value: number, labels?: Readonly<Record<string, string>>): void;
}

/** Names start with `sluice_` and end with their unit. Asking twice for a name gives the same metric. */
export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  gauge(name: string, help: string, labels?: readonly string[]): Gauge;
  histogram(name: string, help: string, labels?: readonly string[], buckets?: readonly number[]): Histogram;
  /** Returns all metrics as Prometheus text. */
  text(): Promise<string>;
}

/** Metrics that count nothing. */
export const silentMetrics: Metrics = {
  counter: () => ({ add: () => {} }),
  gauge: () => ({ set: () => {} }),
  histogram: () => ({ observe: () => {} }),
  text: () => Promise.resolve(""),
};
