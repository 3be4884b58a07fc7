// Finds the largest of many values in one pass, for metrics that show only the worst subjects.

/** Returns the keys and values of the `countMax` largest values, the largest first, equal ones in their order. */
export function findLargest<K>(values: Iterable<readonly [K, number]>, countMax: number): readonly (readonly [K, number])[] {
  const largest: (readonly [K, number])[] = [];
  for (const entry of values) {
    const least = largest.at(-1);
    if (largest.length === countMax && least !== undefined && entry[1] <= least[1]) continue;
    const index = largest.findIndex(([, value]) => value < entry[1]);
    largest.splice(index < 0 ? largest.length : index, 0, entry);
    if (largest.length > countMax) largest.pop();
  }
  return largest;
}
