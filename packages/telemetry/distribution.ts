// A histogram in a registry of prom-client, whose own one hashes the labels at each value: too dear for what is measured for each message.

import type { Histogram, Registry } from "prom-client";
import { ByLabels, type Labels } from "./by-labels.ts";

export interface DistributionOptions {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Ascending. */
  readonly upperBounds: readonly number[];
  readonly registry: Registry;
}

interface Measured {
  readonly values: Labels;
  /** Of each bucket, those of lower ones not included; the last is beyond all bounds. */
  readonly counts: number[];
  sum: number;
}

export class Distribution {
  readonly name: string;
  readonly help: string;
  readonly type = "histogram";
  readonly aggregator = "sum";
  readonly #upperBounds: readonly number[];
  readonly #measured: ByLabels<Measured>;

  constructor({ name, help, labels, upperBounds, registry }: DistributionOptions) {
    this.name = name;
    this.help = help;
    this.#upperBounds = upperBounds;
    const known = new Set(labels);
    this.#measured = new ByLabels(labels, (values) => {
      const wrong = Object.keys(values).find((label) => !known.has(label));
      if (wrong !== undefined) throw new Error(`metric ${name} has no label ${wrong}`);
      return { values, counts: [...upperBounds.map(() => 0), 0], sum: 0 };
    });
    // Without labels it is there from the beginning, with nothing in it.
    if (labels.length === 0) this.#measured.of({});
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a registry asks of a metric is its name and `get`
    registry.registerMetric(this as unknown as Histogram);
  }

  observe(value: number, values: Labels): void {
    const measured = this.#measured.of(values);
    let bucket = 0;
    // Not a number is beyond all bounds.
    while (bucket < this.#upperBounds.length && !(value <= (this.#upperBounds[bucket] ?? 0))) bucket += 1;
    measured.counts[bucket] = (measured.counts[bucket] ?? 0) + 1;
    measured.sum += value;
  }

  /** As a registry asks for it. */
  get() {
    const { name, help, type, aggregator } = this;
    return Promise.resolve({ name, help, type, aggregator, values: this.#measured.all().flatMap((measured) => this.#said(measured)) });
  }

  #said({ values, counts, sum }: Measured) {
    let count = 0;
    const buckets = counts.map((of, bucket) => {
      count += of;
      return { metricName: `${this.name}_bucket`, labels: { le: this.#upperBounds[bucket] ?? "+Inf", ...values }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels: values, value: sum },
      { metricName: `${this.name}_count`, labels: values, value: count },
    ];
  }
}
