// Parses instants that operators give to the precision of records.

/** Null: the instant is more precise than a millisecond, which no record can hold. */
export function parseMillisecond(text: string): number | null {
  const { epochNanoseconds, epochMilliseconds } = Temporal.Instant.from(text);
  return epochNanoseconds % 1_000_000n === 0n ? epochMilliseconds : null;
}
