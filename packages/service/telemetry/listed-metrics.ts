// Metrics whose samples are listed at each scrape, for a prom-client registry.
//
// #1 Each list is called once for each scrape, before any metric is shown, so that all metrics show one moment.
// #2 A metric that is added again gets one more list. Samples with the same labels are added up.

import type { ListedMetric, ListedSample } from "@sluice/kernel";
import type { Gauge, Registry } from "prom-client";

export class ListedMetrics {
  readonly #registry: Registry;
  readonly #lists: (() => readonly ListedSample[])[] = [];
  readonly #metrics = new Map<string, ListedSeries>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  add(metrics: readonly ListedMetric[], list: () => readonly ListedSample[]): void {
    for (const metric of metrics) {
      if (this.#metrics.has(metric.name)) continue;
      if (!/^sluice_[a-z0-9_]+$/.test(metric.name) || this.#registry.getSingleMetric(metric.name) !== undefined)
        throw new Error(`metric ${metric.name}: the name is taken, or does not start with sluice_`);
      const series = new ListedSeries(metric);
      this.#metrics.set(metric.name, series);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a registry uses only a metric's name and `get`
      this.#registry.registerMetric(series as unknown as Gauge);
    }
    this.#lists.push(list);
  }

  /** #1 */
  refresh(): void {
    for (const series of this.#metrics.values()) series.clear();
    for (const list of this.#lists) {
      for (const sample of list()) {
        const series = this.#metrics.get(sample.name);
        if (series === undefined) throw new Error(`metric ${sample.name} was not added`);
        series.show(sample);
      }
    }
  }
}

class ListedSeries {
  readonly name: string;
  readonly help: string;
  readonly type: ListedMetric["kind"];
  readonly aggregator = "sum";
  readonly #labels: readonly string[];
  readonly #values = new Map<string, { readonly labels: ListedSample["labels"]; value: number }>();

  constructor({ name, help, kind, labels }: ListedMetric) {
    this.name = name;
    this.help = help;
    this.type = kind;
    this.#labels = labels;
  }

  clear(): void {
    this.#values.clear();
  }

  /** #2 */
  show({ labels, value }: ListedSample): void {
    const key = this.#labels.map((label) => labels[label] ?? "").join("\u0000");
    const shown = this.#values.get(key);
    if (shown === undefined) this.#values.set(key, { labels, value });
    else shown.value += value;
  }

  /** Answers the metric in the form that a registry asks for. */
  get() {
    const { name, help, type, aggregator } = this;
    return Promise.resolve({ name, help, type, aggregator, values: [...this.#values.values()] });
  }
}
