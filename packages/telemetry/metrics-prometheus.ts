// Metrics on prom-client, each with a registry of its own, so that two services in one process do not meet.

import { Counter, Gauge, Registry, collectDefaultMetrics } from "prom-client";
import { ByLabels, type Labels } from "./by-labels.ts";
import { Distribution } from "./distribution.ts";
import type { Metrics } from "./port.ts";

export interface MetricsOptions {
  /** Also the process's own: memory, event loop lag, garbage collection. For process entries. */
  readonly withProcess: boolean;
}

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const unsaid: UnsaidSum[] = [];
  if (options.withProcess) collectDefaultMetrics({ register: registry, prefix: "sluice_" });

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
      const sum = new UnsaidSum(metric, labels);
      unsaid.push(sum);
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
    text() {
      for (const sum of unsaid) sum.say();
      return registry.metrics();
    },
  };
}

/** prom-client hashes the labels at each call, which is dear for what is counted for each message: so it hears of them when it is asked. */
class UnsaidSum {
  readonly #metric: Counter;
  readonly #counts: ByLabels<Count>;

  constructor(metric: Counter, labels: readonly string[]) {
    this.#metric = metric;
    this.#counts = new ByLabels(labels, (values) => {
      // At once: wrong labels are the caller's mistake.
      metric.inc(values, 0);
      return { values, by: 0 };
    });
  }

  add(values: Labels, by: number): void {
    this.#counts.of(values).by += by;
  }

  say(): void {
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

/** Counts nothing. */
export const silentMetrics: Metrics = {
  counter: () => ({ add: () => {} }),
  gauge: () => ({ set: () => {} }),
  histogram: () => ({ observe: () => {} }),
  text: () => Promise.resolve(""),
};
