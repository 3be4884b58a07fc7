// Keeps one value for each combination of label values, and finds it without making a text of them. Callers bound their
// labels.

export type Labels = Readonly<Record<string, string>>;

export class LabelledValues<Kept> {
  readonly #labels: readonly string[];
  readonly #make: (values: Labels) => Kept;
  /** Nested maps by the value of each label. */
  readonly #first: Step<Kept> = { steps: new Map(), kept: null };
  readonly #all: Kept[] = [];

  /** `make` is called once for each combination, and throws for wrong labels. */
  constructor(labels: readonly string[], make: (values: Labels) => Kept) {
    this.#labels = labels;
    this.#make = make;
  }

  at(values: Labels): Kept {
    let step = this.#first;
    for (const label of this.#labels) step = stepTo(step, values[label] ?? "");
    if (step.kept !== null) return step.kept;
    const kept = this.#make(values);
    step.kept = kept;
    this.#all.push(kept);
    return kept;
  }

  /** Returns all values in the order of their creation. */
  all(): readonly Kept[] {
    return this.#all;
  }
}

interface Step<Kept> {
  readonly steps: Map<string, Step<Kept>>;
  /** The value after the last label; null at inner steps. */
  kept: Kept | null;
}

function stepTo<Kept>({ steps }: Step<Kept>, value: string): Step<Kept> {
  const known = steps.get(value);
  if (known !== undefined) return known;
  const step: Step<Kept> = { steps: new Map(), kept: null };
  steps.set(value, step);
  return step;
}
