/** Formats a time in UTC to the millisecond: `2026-11-20 05:00:02.003`. */
export function formatUtcTime(atMs: number): string {
  const text = Temporal.Instant.fromEpochMilliseconds(atMs).toString({ smallestUnit: "millisecond" });
  return text.replace("T", " ").replace("Z", "");
}
