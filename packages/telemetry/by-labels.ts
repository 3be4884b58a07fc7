// What is kept for each combination of label values, found without making a text of them. Labels are bounded where they are given.

export type Labels = Readonly<Record<string, string>>;

export class ByLabels<Kept> {
  readonly #labels: readonly string[];
  readonly #make: (values: Labels) => Kept;
  /** By the value of each label, one within the other. */
  readonly #first: Step<Kept> = { steps: new Map(), kept: null };
  readonly #all: Kept[] = [];

  /** `make` is called once for each combination, and throws for labels that are wrong. */
  constructor(labels: readonly string[], make: (values: Labels) => Kept) {
    this.#labels = labels;
    this.#make = make;
  }

  of(values: Labels): Kept {
    let step = this.#first;
    for (const label of this.#labels) step = stepTo(step, values[label] ?? "");
    if (step.kept !== null) return step.kept;
    const kept = this.#make(values);
    step.kept = kept;
    this.#all.push(kept);
    return kept;
  }

  /** In the order in which they came. */
  all(): readonly Kept[] {
    return this.#all;
  }
}

interface Step<Kept> {
  readonly steps: Map<string, Step<Kept>>;
  /** Behind the last label. */
  kept: Kept | null;
}

function stepTo<Kept>({ steps }: Step<Kept>, value: string): Step<Kept> {
  const known = steps.get(value);
  if (known !== undefined) return known;
  const step: Step<Kept> = { steps: new Map(), kept: null };
  steps.set(value, step);
  return step;
}
