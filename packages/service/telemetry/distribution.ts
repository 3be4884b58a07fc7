// A histogram for a prom-client registry. prom-client's own hashes the labels at each value, which is too expensive per
// message.

import type { Histogram, Registry } from "prom-client";
import { LabelledValues, type Labels } from "./by-labels.ts";

export interface DistributionOptions {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of the buckets, ascending. */
  readonly upperBounds: readonly number[];
  readonly registry: Registry;
}

interface Measured {
  readonly values: Labels;
  /** Number of values in each bucket, without those of lower buckets; the last bucket is beyond all bounds. */
  readonly counts: number[];
  sum: number;
}

export class Distribution {
  readonly name: string;
  readonly help: string;
  readonly type = "histogram";
  readonly aggregator = "sum";
  readonly #upperBounds: readonly number[];
  readonly #measured: LabelledValues<Measured>;

  constructor({ name, help, labels, upperBounds, registry }: DistributionOptions) {
    this.name = name;
    this.help = help;
    this.#upperBounds = upperBounds;
    const known = new Set(labels);
    this.#measured = new LabelledValues(labels, (values) => {
      const wrong = Object.keys(values).find((label) => !known.has(label));
      if (wrong !== undefined) throw new Error(`metric ${name} has no label ${wrong}`);
      return { values, counts: [...upperBounds.map(() => 0), 0], sum: 0 };
    });
    // A histogram without labels is shown from the beginning, empty.
    if (labels.length === 0) this.#measured.at({});
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a registry uses only a metric's name and `get`
    registry.registerMetric(this as unknown as Histogram);
  }

  observe(value: number, values: Labels): void {
    const measured = this.#measured.at(values);
    let bucket = 0;
    // NaN is beyond all bounds.
    while (bucket < this.#upperBounds.length && !(value <= (this.#upperBounds[bucket] ?? 0))) bucket += 1;
    measured.counts[bucket] = (measured.counts[bucket] ?? 0) + 1;
    measured.sum += value;
  }

  /** Returns the metric in the form that a registry asks for. */
  get() {
    const { name, help, type, aggregator } = this;
    return Promise.resolve({ name, help, type, aggregator, values: this.#measured.all().flatMap((measured) => this.#toSamples(measured)) });
  }

  #toSamples({ values, counts, sum }: Measured) {
    let count = 0;
    const buckets = counts.map((inBucket, bucket) => {
      count += inBucket;
      return { metricName: `${this.name}_bucket`, labels: { le: this.#upperBounds[bucket] ?? "+Inf", ...values }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels: values, value: sum },
      { metricName: `${this.name}_count`, labels: values, value: count },
    ];
  }
}
