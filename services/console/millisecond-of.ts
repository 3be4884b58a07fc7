// Instants that operators give, as records hold them.

/** Null: finer than a millisecond, which no record holds. */
export function millisecondOf(text: string): number | null {
  const { epochNanoseconds, epochMilliseconds } = Temporal.Instant.from(text);
  return epochNanoseconds % 1_000_000n === 0n ? epochMilliseconds : null;
}
