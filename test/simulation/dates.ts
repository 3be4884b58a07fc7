// Draws where and when a simulated day is played. Most days begin at noon of one date. The others play two dates over
// midnight, some of them where the clocks change in between: the evening of the first date, the early window of the
// second one, a night in which no process runs, and the evening of the second date.
//
// #1 The instants are written down for each place, because an answer of the calendar would hide its mistakes.

import type { SchemeTimes } from "@sluice/calendar";
import type { PlannedDay } from "@sluice/checker";
import type { Random } from "@sluice/kernel";

type DailyWindow = SchemeTimes["processing"][number];

export interface PlayedDates {
  readonly zone: string;
  /** The start of the run, in epoch milliseconds. */
  readonly startAtMs: number;
  /** The business dates whose close comes in the run. */
  readonly played: readonly string[];
  /** The business date after these. */
  readonly next: string;
  /** The windows of each date, in local time. */
  readonly windows: readonly DailyWindow[];
  /** The local time of the reconciliation. */
  readonly reconciliation: string;
  /** When no process runs, in milliseconds from the start of the run; the evening of the second date begins then. */
  readonly night: { readonly fromMs: number; readonly untilMs: number } | null;
}

const oneWindow: readonly DailyWindow[] = [{ opens: "12:00:30", closes: "12:01:00" }];
const twoWindows: readonly DailyWindow[] = [
  { opens: "12:00:30", closes: "12:00:40" },
  { opens: "12:00:46", closes: "12:01:00" },
];

/** The run starts at 12:00:00. The windows are between 12:00:30 and 12:01:00, the reconciliation is at 12:01:20. */
export const noon: PlayedDates = {
  zone: "+02:00",
  startAtMs: Date.UTC(2026, 10, 20, 10, 0, 0),
  played: ["2026-11-20"],
  next: "2026-11-21",
  windows: oneWindow,
  reconciliation: "12:01:20",
  night: null,
};

const noonWithTwoWindows: PlayedDates = { ...noon, windows: twoWindows };

/** The evening is that of 23:58:30, and its instants are the same from there as those of noon. */
const evening: DailyWindow = { opens: "23:59:00", closes: "23:59:30" };
const early: DailyWindow = { opens: "00:00:20", closes: "00:00:40" };
/** The early window of the second date, in milliseconds from the start of the run. */
export const earlyWindow = { postFromMs: 85_000, postUntilMs: 105_000, opensMs: 110_000, closesMs: 130_000 } as const;
/** Everything that a process can do has been done by then, in milliseconds from the start of the run. */
const nightFromMs = 240_000;

interface Place {
  readonly zone: string;
  /** 23:58:30 of the first date, and of the second one. */
  readonly evenings: readonly [number, number];
  readonly dates: readonly [string, string, string];
}

/** #1 */
const places: readonly Place[] = [
  {
    zone: "+02:00",
    evenings: [Date.UTC(2026, 10, 20, 21, 58, 30), Date.UTC(2026, 10, 21, 21, 58, 30)],
    dates: ["2026-11-20", "2026-11-21", "2026-11-22"],
  },
  // The second date has 25 hours.
  {
    zone: "America/New_York",
    evenings: [Date.UTC(2026, 10, 1, 3, 58, 30), Date.UTC(2026, 10, 2, 4, 58, 30)],
    dates: ["2026-10-31", "2026-11-01", "2026-11-02"],
  },
  // The second date has 23 hours.
  {
    zone: "Europe/London",
    evenings: [Date.UTC(2027, 2, 27, 23, 58, 30), Date.UTC(2027, 2, 28, 22, 58, 30)],
    dates: ["2027-03-27", "2027-03-28", "2027-03-29"],
  },
  // The second date has no midnight: it begins at 01:00:00.
  {
    zone: "Africa/Cairo",
    evenings: [Date.UTC(2027, 3, 29, 21, 58, 30), Date.UTC(2027, 3, 30, 20, 58, 30)],
    dates: ["2027-04-29", "2027-04-30", "2027-05-01"],
  },
  // The last hour of the second date comes twice, and the first one counts.
  {
    zone: "Africa/Cairo",
    evenings: [Date.UTC(2026, 9, 28, 20, 58, 30), Date.UTC(2026, 9, 29, 20, 58, 30)],
    dates: ["2026-10-28", "2026-10-29", "2026-10-30"],
  },
  // Half an hour more on the second date, far from Greenwich.
  {
    zone: "Australia/Lord_Howe",
    evenings: [Date.UTC(2027, 3, 3, 12, 58, 30), Date.UTC(2027, 3, 4, 13, 28, 30)],
    dates: ["2027-04-03", "2027-04-04", "2027-04-05"],
  },
];

/** The clocks go from 01:00:00 to 02:00:00 in the middle of the window. The run starts at 00:59:10. */
function missingHour(isTwoWindows: boolean): PlayedDates {
  const last = { opens: "00:59:56", closes: "02:00:10" };
  return {
    zone: "Europe/London",
    startAtMs: Date.UTC(2027, 2, 28, 0, 59, 10),
    played: ["2027-03-28"],
    next: "2027-03-29",
    windows: isTwoWindows ? [{ opens: "00:59:40", closes: "00:59:50" }, last] : [{ ...last, opens: "00:59:40" }],
    reconciliation: "02:00:30",
    night: null,
  };
}

/** A fifth of the days play two dates, and a tenth have the missing hour. */
const twoDatesShare = 0.2;
const missingHourShare = 0.1;

export function drawDates(random: Random, isTwoWindows: boolean): PlayedDates {
  const draw = random.fraction();
  const place = draw < twoDatesShare ? places[Math.floor(random.fraction() * places.length)] : undefined;
  if (place === undefined) {
    if (draw < twoDatesShare + missingHourShare) return missingHour(isTwoWindows);
    return isTwoWindows ? noonWithTwoWindows : noon;
  }
  const [first, second, next] = place.dates;
  return {
    zone: place.zone,
    startAtMs: place.evenings[0],
    played: [first, second],
    next,
    windows: isTwoWindows ? [early, evening] : [evening],
    reconciliation: "23:59:50",
    night: { fromMs: nightFromMs, untilMs: place.evenings[1] - place.evenings[0] },
  };
}

/** #1 The windows and closes of the run, for a checker that does not ask the calendar. */
export function plannedDays(
  scheme: string,
  dates: PlayedDates,
  times: { readonly opensMs: number; readonly closesMs: number; readonly reconcilesMs: number },
): readonly PlannedDay[] {
  const { startAtMs, played, windows, night } = dates;
  if (night === null) return [];
  const number = windows.length;
  const evenings = [startAtMs, startAtMs + night.untilMs];
  return played.map((date, index) => {
    const fromMs = evenings[index] ?? startAtMs;
    const last = { number, opensAtMs: fromMs + times.opensMs, closesAtMs: fromMs + times.closesMs };
    const first = { number: 1, opensAtMs: startAtMs + earlyWindow.opensMs, closesAtMs: startAtMs + earlyWindow.closesMs };
    const isEarlyPlayed = index === 1 && windows.length > 1;
    return { day: `${scheme}:${date}`, windows: isEarlyPlayed ? [first, last] : [last], reconciliationAtMs: fromMs + times.reconcilesMs };
  });
}
