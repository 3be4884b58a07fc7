// A zone of whole hours in which it is about noon, wherever the machine stands.

/** `+05:00` and the like: local time lies between 11:30 and 12:30. */
export function noonZone(nowMs: number): string {
  const minutes = Math.floor(nowMs / 60_000) % 1_440;
  const hours = Math.round(12 - minutes / 60);
  return `${hours < 0 ? "-" : "+"}${String(Math.abs(hours)).padStart(2, "0")}:00`;
}

export function dateIn(zone: string, atMs: number): string {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone).toPlainDate().toString();
}

/** HH:MM:SS. */
export function timeIn(zone: string, atMs: number): string {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone).toPlainTime().toString({ smallestUnit: "second" });
}
