// Metrics on prom-client, each with a registry of its own, so that two services in one process do not meet.

import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
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
    const present = registry.getSingleMetric(name);
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
      const make = () => new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers: [registry] });
      const metric = known(name, Histogram, make);
      return { observe: (value, values = {}) => metric.observe(values, value) };
    },
    text() {
      for (const sum of unsaid) sum.say();
      return registry.metrics();
    },
  };
}

type Labels = Readonly<Record<string, string>>;

/** prom-client hashes the labels at each call, which is dear for what is counted for each message: so it hears of them when it is asked. */
class UnsaidSum {
  readonly #metric: Counter;
  readonly #labels: readonly string[];
  /** By the value of each label, one within the other. */
  readonly #first: Step = { steps: new Map(), count: null };
  readonly #counts: Count[] = [];

  constructor(metric: Counter, labels: readonly string[]) {
    this.#metric = metric;
    this.#labels = labels;
  }

  add(values: Labels, by: number): void {
    let step = this.#first;
    for (const label of this.#labels) step = stepTo(step, values[label] ?? "");
    if (step.count !== null) {
      step.count.by += by;
      return;
    }
    // At once the first time: wrong labels are the caller's mistake.
    this.#metric.inc(values, by);
    step.count = { values, by: 0 };
    this.#counts.push(step.count);
  }

  say(): void {
    for (const count of this.#counts) {
      this.#metric.inc(count.values, count.by);
      count.by = 0;
    }
  }
}

interface Count {
  readonly values: Labels;
  by: number;
}

interface Step {
  readonly steps: Map<string, Step>;
  /** Behind the last label. */
  count: Count | null;
}

function stepTo({ steps }: Step, value: string): Step {
  const known = steps.get(value);
  if (known !== undefined) return known;
  const step: Step = { steps: new Map(), count: null };
  steps.set(value, step);
  return step;
}

/** Counts nothing. */
export const silentMetrics: Metrics = {
  counter: () => ({ add: () => {} }),
  gauge: () => ({ set: () => {} }),
  histogram: () => ({ observe: () => {} }),
  text: () => Promise.resolve(""),
};
