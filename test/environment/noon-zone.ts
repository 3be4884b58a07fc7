// Finds a time zone in which it is about noon now, so that a run of some minutes stays within one date at any hour.

/** Returns an offset in whole hours, such as `+05:00`, in which local time lies between 11:30 and 12:30. */
export function noonZone(nowMs: number): string {
  const minutes = Math.floor(nowMs / 60_000) % 1_440;
  const hours = Math.round(12 - minutes / 60);
  return `${hours < 0 ? "-" : "+"}${String(Math.abs(hours)).padStart(2, "0")}:00`;
}

/** Returns the local date as YYYY-MM-DD. */
export function dateIn(zone: string, atMs: number): string {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone).toPlainDate().toString();
}

/** Returns the local time as HH:MM:SS. */
export function timeIn(zone: string, atMs: number): string {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone).toPlainTime().toString({ smallestUnit: "second" });
}
