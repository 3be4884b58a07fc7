// Reads a calendar file that a person brings, and says of each problem in which line it is.

import type { Scheme } from "../configuration.ts";
import type { Problem } from "../file/problem.ts";
import { readCalendarParts } from "../file/read-configuration.ts";
import { findLines } from "./problem-lines.ts";

interface LinedProblem extends Problem {
  /** Null: all of the file is meant. */
  readonly line: number | null;
}

type CalendarFileReading =
  | { readonly ok: true; readonly schemes: readonly Scheme[] }
  | { readonly ok: false; readonly problems: readonly LinedProblem[] };

/** Problems of one file that are answered; who mends them finds the others then. */
const problemsMax = 100;

/** Calendars must have business dates from `onDate` on. */
export function readCalendarFile(text: string, onDate: string): CalendarFileReading {
  const reading = readCalendarParts(text, onDate);
  if (reading.ok) return reading;
  const problems = reading.problems.slice(0, problemsMax);
  const lines = findLines(text, problems);
  return { ok: false, problems: problems.map((problem, index) => ({ line: lines[index] ?? null, ...problem })) };
}
