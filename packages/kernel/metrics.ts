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

/** A metric whose series come and go, because only some subjects are shown, such as the receivers in trouble. */
export interface ListedMetric {
  readonly name: string;
  readonly help: string;
  readonly kind: "counter" | "gauge";
  readonly labels: readonly string[];
}

/** One series of a listed metric, at the time of a scrape. */
export interface ListedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Names start with `sluice_` and end with their unit. Asking twice for a name gives the same metric. */
export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  gauge(name: string, help: string, labels?: readonly string[]): Gauge;
  histogram(name: string, help: string, labels?: readonly string[], buckets?: readonly number[]): Histogram;
  /**
   * Calls `list` once for each scrape, for the samples of all these metrics. It bounds how many it returns. Samples of
   * several lists with the same labels are added up.
   */
  listed(metrics: readonly ListedMetric[], list: () => readonly ListedSample[]): void;
  /** Returns all metrics as Prometheus text. */
  text(): Promise<string>;
}

/** Metrics that count nothing. */
export const silentMetrics: Metrics = {
  counter: () => ({ add: () => {} }),
  gauge: () => ({ set: () => {} }),
  histogram: () => ({ observe: () => {} }),
  listed: () => {},
  text: () => Promise.resolve(""),
};
