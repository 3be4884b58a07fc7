// The metrics adapter on prom-client. Each instance has a registry of its own, so that two services in one process stay
// separate.

import { Counter, Gauge, Registry, collectDefaultMetrics } from "prom-client";
import { LabelledValues, type Labels } from "./by-labels.ts";
import { Distribution } from "./distribution.ts";
import { ListedMetrics } from "./listed-metrics.ts";
import type { Metrics } from "@sluice/kernel";

export interface MetricsOptions {
  /**
   * Adds the process's own metrics under the names that public dashboards of Node know: `process_…`, `nodejs_…`.
   * For process entries.
   */
  readonly withProcess: boolean;
}

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const pending: PendingSum[] = [];
  const listed = new ListedMetrics(registry);
  if (options.withProcess) collectDefaultMetrics({ register: registry });

  function known<M>(name: string, kind: new (...args: never[]) => M, make: () => M): M {
    if (!/^sluice_[a-z0-9_]+$/.test(name)) throw new Error(`metric ${name}: the name must start with sluice_ and be lower case`);
    const present: unknown = registry.getSingleMetric(name);
    if (present === undefined) return make();
    if (present instanceof kind) return present;
    throw new Error(`metric ${name} exists already as another kind`);
  }

  return {
    counter(name, help, labels = []) {
      const metric = known(name, Counter, () => new Counter({ name, help, labelNames: [...labels], registers: [registry] }));
      const sum = new PendingSum(metric, labels);
      pending.push(sum);
      return { add: (values = {}, by = 1) => sum.add(values, by) };
    },
    gauge(name, help, labels = []) {
      const metric = known(name, Gauge, () => new Gauge({ name, help, labelNames: [...labels], registers: [registry] }));
      return { set: (value, values = {}) => metric.set(values, value) };
    },
    histogram(name, help, labels = [], buckets = secondsBuckets) {
      const metric = known(name, Distribution, () => new Distribution({ name, help, labels, upperBounds: buckets, registry }));
      return { observe: (value, values = {}) => metric.observe(value, values) };
    },
    listed: (metrics, list) => listed.add(metrics, list),
    text() {
      for (const sum of pending) sum.flush();
      listed.refresh();
      return registry.metrics();
    },
  };
}

/**
 * Collects counts until the next scrape, because prom-client hashes the labels at each call and that is expensive per
 * message.
 */
class PendingSum {
  readonly #metric: Counter;
  readonly #counts: LabelledValues<Count>;

  constructor(metric: Counter, labels: readonly string[]) {
    this.#metric = metric;
    this.#counts = new LabelledValues(labels, (values) => {
      // Registered at once, so that wrong labels fail at the caller.
      metric.inc(values, 0);
      return { values, by: 0 };
    });
  }

  add(values: Labels, by: number): void {
    this.#counts.at(values).by += by;
  }

  flush(): void {
    for (const count of this.#counts.all()) {
      this.#metric.inc(count.values, count.by);
      count.by = 0;
    }
  }
}

interface Count {
  readonly values: Labels;
  by: number;
}
