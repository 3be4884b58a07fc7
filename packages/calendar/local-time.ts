// A local time of a business date as an instant.
//
// #1 A time that does not exist on its date (the clocks go forward) moves forward by the gap.
// #2 Of a time that exists twice (the clocks go back) the first counts.

export interface LocalTime {
  /** Number of calendar days after the business date. */
  readonly days: number;
  /** In the form HH:MM:SS. */
  readonly time: string;
}

const form = /^(?:\+(\d)d )?((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?$/;

/** Reads `17:30`, `17:30:05` or `+1d 02:00`; null for anything else. */
export function readLocalTime(text: string): LocalTime | null {
  const match = form.exec(text);
  if (match === null) return null;
  const [, days, minutes, seconds] = match;
  return { days: Number(days ?? 0), time: `${minutes}${seconds ?? ":00"}` };
}

/** Milliseconds of wall-clock time from the business date's midnight, to compare times of one date. */
export function wallTimeMs(text: string): number {
  const { days, time } = localTime(text);
  const { hour, minute, second } = Temporal.PlainTime.from(time);
  return ((days * 24 + hour) * 3_600 + minute * 60 + second) * 1_000;
}

/** Returns the epoch milliseconds of a local time of `date` in `zone`. */
export function toInstantMs(zone: string, date: Temporal.PlainDate, text: string): number {
  const { days, time } = localTime(text);
  const local = date.add({ days }).toPlainDateTime(Temporal.PlainTime.from(time));
  return local.toZonedDateTime(zone, { disambiguation: "compatible" }).epochMilliseconds;
}

/** Number of calendar days that `text` is after its business date. */
export function daysAfter(text: string): number {
  return localTime(text).days;
}

function localTime(text: string): LocalTime {
  const read = readLocalTime(text);
  if (read === null) throw new Error(`not a local time: ${text}`);
  return read;
}
