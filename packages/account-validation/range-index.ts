// Finds the entries that hold a code, among entries with ranges of six-digit codes. It is built once for a version of
// data, and a look-up is a binary search, because tables of clearing houses name each of thousands of branches.
//
// #1 Entries come in the order given, each once, with the narrowest of its ranges that holds the code.

export interface RangeEntry<Value> {
  /** Inclusive ranges of six digits, as text. */
  readonly ranges: readonly (readonly [string, string])[];
  readonly value: Value;
}

export interface RangeMatch<Value> {
  readonly value: Value;
  /** Number of codes in the range. */
  readonly width: number;
}

export type RangeIndex<Value> = (code: string) => readonly RangeMatch<Value>[];

export function createRangeIndex<Value>(entries: readonly RangeEntry<Value>[]): RangeIndex<Value> {
  const bounds = entries.flatMap(({ ranges }) => ranges.flatMap(([from, to]) => [Number(from), Number(to) + 1]));
  const starts = [...new Set(bounds)].sort((a, b) => a - b);
  const segments = starts.map((): RangeMatch<Value>[] => []);
  for (const { ranges, value } of entries) {
    for (const [from, to] of ranges) {
      const width = Number(to) - Number(from) + 1;
      for (let at = findSegment(starts, Number(from)); (starts[at] ?? Infinity) <= Number(to); at += 1) place(segments[at], value, width);
    }
  }
  return (code) => segments[findSegment(starts, Number(code))] ?? [];
}

function place<Value>(segment: RangeMatch<Value>[] | undefined, value: Value, width: number): void {
  const last = segment?.at(-1);
  if (last === undefined || last.value !== value) segment?.push({ value, width });
  else if (width < last.width) segment?.splice(-1, 1, { value, width });
}

/** Returns the index of the last start at or below the code; -1: none. */
function findSegment(starts: readonly number[], code: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? Infinity) <= code) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
