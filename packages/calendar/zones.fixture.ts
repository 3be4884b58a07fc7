// Zones with a decade in which their rules changed, and shapes of windows: the properties of this package, and of
// packages that plan with it, walk through them.

import type { SchemeTimes } from "./calendar.ts";

/** Each zone with the first of its ten years. */
export const decades: readonly (readonly [zone: string, fromYear: number])[] = [
  ["Africa/Johannesburg", 2020],
  ["Europe/London", 2020],
  ["America/New_York", 2020],
  // Clocks that change by half an hour.
  ["Australia/Lord_Howe", 2020],
  ["Pacific/Chatham", 2020],
  ["Asia/Kathmandu", 2020],
  // Clocks that change by two hours.
  ["Antarctica/Troll", 2020],
  // Clocks put forward at midnight.
  ["America/Havana", 2016],
  ["Asia/Beirut", 2016],
  ["America/Sao_Paulo", 2010],
  ["America/Santiago", 2014],
  // Rules that changed, some at short notice, some for a month of the year.
  ["Africa/Cairo", 2008],
  ["Africa/Casablanca", 2012],
  ["Asia/Tehran", 2016],
  ["America/Caracas", 2007],
  ["Asia/Pyongyang", 2012],
  // A zone that skipped a day: 2011-12-30.
  ["Pacific/Apia", 2006],
  ["+05:45", 2020],
];

export type WindowShape = Pick<SchemeTimes, "processing" | "reconciliation">;

function windows(...pairs: readonly (readonly [string, string])[]): WindowShape["processing"] {
  return pairs.map(([opens, closes]) => ({ opens, closes }));
}

export const windowShapes = {
  one: { processing: windows(["08:00", "16:00"]), reconciliation: "17:30" },
  several: { processing: windows(["00:15", "02:15"], ["02:45", "03:00"], ["09:00", "12:00"]), reconciliation: "23:59:59" },
  midnight: { processing: windows(["00:00", "23:59:59"]), reconciliation: "+1d 00:30" },
  night: { processing: windows(["22:00", "+1d 02:30"]), reconciliation: "+1d 04:00" },
  seconds: { processing: windows(["02:29:59", "02:30:01"], ["23:59:58", "23:59:59"]), reconciliation: "+1d 00:00" },
  roundTheClock: { processing: windows(["02:30", "+1d 02:30"]), reconciliation: "+1d 02:30:01" },
  overlapping: { processing: windows(["20:00", "+1d 21:00"]), reconciliation: "+1d 22:00" },
  nextMorning: { processing: windows(["03:00", "12:00"], ["23:00", "+1d 02:59:59"]), reconciliation: "+2d 00:00" },
} as const satisfies Readonly<Record<string, WindowShape>>;

/** Times in a zone where, unless given otherwise, every weekday works. */
export function timesIn(zone: string, shape: WindowShape, workingDays: readonly number[] = [1, 2, 3, 4, 5, 6, 7]): SchemeTimes {
  return { calendar: { version: "1", zone, workingDays, holidays: [] }, ...shape, cutOffMs: 1_000 };
}

/** All dates of ten years. */
export function datesOfDecade(fromYear: number): readonly string[] {
  const first = Temporal.PlainDate.from({ year: fromYear, month: 1, day: 1 });
  const days = first.until(first.add({ years: 10 })).days;
  return Array.from({ length: days }, (_, day) => first.add({ days: day }).toString());
}

/** The dates of ten years at and around which the clocks of a zone changed. */
export function datesOfChange(zone: string, fromYear: number): readonly string[] {
  const dates = new Set<string>();
  const end = Temporal.PlainDate.from({ year: fromYear + 10, month: 1, day: 1 }).toZonedDateTime(zone);
  let at: Temporal.ZonedDateTime | null = Temporal.PlainDate.from({ year: fromYear, month: 1, day: 1 }).toZonedDateTime(zone);
  for (
    at = at.getTimeZoneTransition("next");
    at !== null && Temporal.ZonedDateTime.compare(at, end) < 0;
    at = at.getTimeZoneTransition("next")
  ) {
    const before = at.subtract({ milliseconds: 1 }).toPlainDate();
    for (let days = -2; days <= 3; days += 1) dates.add(before.add({ days }).toString());
  }
  return [...dates].toSorted();
}
