// A local time of a business date as an instant.
//
// #1 A time that does not exist on its date (a clock put forward) moves forward by the gap.
// #2 A time that exists twice (a clock put back) means the first.

export interface LocalTime {
  /** Calendar days after the business date. */
  readonly days: number;
  /** HH:MM:SS */
  readonly time: string;
}

const form = /^(?:\+(\d)d )?((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?$/;

/** `17:30`, `17:30:05` or `+1d 02:00`; null for anything else. */
export function readLocalTime(text: string): LocalTime | null {
  const match = form.exec(text);
  if (match === null) return null;
  const [, days, minutes, seconds] = match;
  return { days: Number(days ?? 0), time: `${minutes}${seconds ?? ":00"}` };
}

/** Milliseconds from the business date's midnight by the clock on the wall, for comparing times of one date. */
export function wallMs(text: string): number {
  const { days, time } = localTime(text);
  const { hour, minute, second } = Temporal.PlainTime.from(time);
  return ((days * 24 + hour) * 3_600 + minute * 60 + second) * 1_000;
}

/** Epoch milliseconds of a local time of `date` in `zone`. */
export function instantOf(zone: string, date: Temporal.PlainDate, text: string): number {
  const { days, time } = localTime(text);
  const local = date.add({ days }).toPlainDateTime(Temporal.PlainTime.from(time));
  return local.toZonedDateTime(zone, { disambiguation: "compatible" }).epochMilliseconds;
}

/** Calendar days after its business date that `text` may lie. */
export function daysAfter(text: string): number {
  return localTime(text).days;
}

function localTime(text: string): LocalTime {
  const read = readLocalTime(text);
  if (read === null) throw new Error(`not a local time: ${text}`);
  return read;
}
