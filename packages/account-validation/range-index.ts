// Which entries hold a code, among entries with ranges of six-digit codes. Built once for a version of data; a look-up is a binary search,
// as tables of clearing houses name each of their thousands of branches.
//
// #1 Entries come in the order given, each once, with the narrowest of its ranges that holds the code.

export interface Ranged<Value> {
  /** Inclusive, six digits as text. */
  readonly ranges: readonly (readonly [string, string])[];
  readonly value: Value;
}

export interface Placed<Value> {
  readonly value: Value;
  /** Codes in the range. */
  readonly width: number;
}

export type RangeIndex<Value> = (code: string) => readonly Placed<Value>[];

export function rangeIndex<Value>(entries: readonly Ranged<Value>[]): RangeIndex<Value> {
  const bounds = entries.flatMap(({ ranges }) => ranges.flatMap(([from, to]) => [Number(from), Number(to) + 1]));
  const starts = [...new Set(bounds)].sort((a, b) => a - b);
  const segments = starts.map((): Placed<Value>[] => []);
  for (const { ranges, value } of entries) {
    for (const [from, to] of ranges) {
      const width = Number(to) - Number(from) + 1;
      for (let at = segmentOf(starts, Number(from)); (starts[at] ?? Infinity) <= Number(to); at += 1) place(segments[at], value, width);
    }
  }
  return (code) => segments[segmentOf(starts, Number(code))] ?? [];
}

function place<Value>(segment: Placed<Value>[] | undefined, value: Value, width: number): void {
  const last = segment?.at(-1);
  if (last === undefined || last.value !== value) segment?.push({ value, width });
  else if (width < last.width) segment?.splice(-1, 1, { value, width });
}

/** Index of the last start at or below the code; -1: none. */
function segmentOf(starts: readonly number[], code: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? Infinity) <= code) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
