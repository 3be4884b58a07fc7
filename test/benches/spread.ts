// Summarizes several measurements of one thing: the median, the least and the most.

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Rounds to `digits` decimals; without values everything is 0. */
export function computeSpread(values: readonly number[], digits: number): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
  return { median: roundTo(median, digits), least: roundTo(sorted[0] ?? 0, digits), most: roundTo(sorted.at(-1) ?? 0, digits) };
}

/** Returns a quantile by nearest rank. `sorted` is ascending; without values the result is 0. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))] ?? 0;
}

export function roundTo(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

export function formatSpread({ median, least, most }: Spread): string {
  return `${median} (${least}–${most})`;
}
