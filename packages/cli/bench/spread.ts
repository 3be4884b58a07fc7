// Several measurements of one thing: the middle one, and how far they lie apart.

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Rounded to `digits` decimals. Of nothing: zeros. */
export function spreadOf(values: readonly number[], digits: number): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
  return { median: rounded(median, digits), least: rounded(sorted[0] ?? 0, digits), most: rounded(sorted.at(-1) ?? 0, digits) };
}

/** Nearest rank; `sorted` is ascending. Of nothing: 0. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))] ?? 0;
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

export function spreadText({ median, least, most }: Spread): string {
  return `${median} (${least}–${most})`;
}
