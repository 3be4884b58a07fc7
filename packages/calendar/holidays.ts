// A calendar as data: which of its dates are closed, and why.
//
// #1 The same data and date give the same answer; of several versions of a calendar, the one in force on that date
//    answers.
// #2 `works` comes before every other rule; then come holidays and their substitutes; then the weekday.
// #3 Substitutes are found in the order of their holidays' dates, each on a date that is not another's.
// #4 A date that the zone's clocks skipped (a date line moved) is closed.

import { holidayDatesIn, type HolidayRule, type Substitute, substituteFor } from "./holiday-rules.ts";

/** A version of a calendar: what counts from one date on. */
export interface CalendarVersion {
  readonly version: string;
  /** ISO weekdays that work, 1 = Monday. */
  readonly workingDays: readonly number[];
  /** Single dates that do not work, YYYY-MM-DD, and rules. */
  readonly holidays: readonly (string | HolidayRule)[];
  /** The first and the last date of this version, YYYY-MM-DD; open if left out. */
  readonly validFrom?: string;
  readonly validTo?: string;
}

/** The newest version, and the versions in force before it, so that a past business date stays one. */
export interface Calendar extends CalendarVersion {
  /** An IANA zone, or a fixed offset such as `+05:00`. */
  readonly zone: string;
  readonly earlier?: readonly CalendarVersion[];
}

/** The reason why a date does not work. */
export type Closure =
  | { readonly kind: "weekday" }
  /** `name` is null if the calendar gives the date without a name. */
  | { readonly kind: "holiday"; readonly name: string | null }
  /** The date is before the first version of the calendar, or after its end. */
  | { readonly kind: "not-valid" }
  /** #4 */
  | { readonly kind: "skipped-date" };

/** #1 The version in force on a date; null where the calendar is not valid. */
export function calendarVersionOn(calendar: Calendar, date: string): CalendarVersion | null {
  let inForce: CalendarVersion | null = null;
  for (const version of [calendar, ...(calendar.earlier ?? [])]) {
    const from = version.validFrom ?? "";
    if (from <= date && (inForce === null || from > (inForce.validFrom ?? ""))) inForce = version;
  }
  return inForce?.validTo !== undefined && inForce.validTo < date ? null : inForce;
}

/** Cached answers by calendar, because every message asks for dates. */
const answers = new WeakMap<Calendar, Map<string, Closure | null>>();
const answersKeptMax = 4_000;

/** Why a date is closed; null: it works. */
export function closureOn(calendar: Calendar, date: Temporal.PlainDate): Closure | null {
  const text = date.toString();
  const known = answers.get(calendar) ?? new Map<string, Closure | null>();
  const answer = known.get(text);
  if (answer !== undefined) return answer;
  if (known.size >= answersKeptMax) known.clear();
  answers.set(calendar, known);
  const made = findClosure(calendar, date, text);
  known.set(text, made);
  return made;
}

function findClosure(calendar: Calendar, date: Temporal.PlainDate, text: string): Closure | null {
  const version = calendarVersionOn(calendar, text);
  if (version === null) return { kind: "not-valid" };
  const year = findYear(version, date.year);
  if (!year.working.has(text)) {
    const holiday = year.closed.get(text);
    if (holiday !== undefined) return { kind: "holiday", name: holiday.join(" and ") || null };
    if (!version.workingDays.includes(date.dayOfWeek)) return { kind: "weekday" };
  }
  return date.toZonedDateTime(calendar.zone).toPlainDate().equals(date) ? null : { kind: "skipped-date" };
}

interface Year {
  /** Names by date; an empty list for a date without a name. */
  readonly closed: ReadonlyMap<string, readonly string[]>;
  readonly working: ReadonlySet<string>;
}

/** Cached years by version of a calendar, because every message asks for them. */
const years = new WeakMap<CalendarVersion, Map<number, Year>>();
const yearsKeptMax = 200;

function findYear(version: CalendarVersion, year: number): Year {
  const known = years.get(version) ?? new Map<number, Year>();
  if (known.size >= yearsKeptMax) known.clear();
  years.set(version, known);
  const made = known.get(year) ?? makeYear(version, year);
  known.set(year, made);
  return made;
}

function makeYear(version: CalendarVersion, year: number): Year {
  const rules = version.holidays.map((given) => (typeof given === "string" ? datedOnly(given) : given));
  // A substitute can be in the next year.
  const around = [year - 1, year, year + 1];
  const working = new Set(around.flatMap((one) => rules.flatMap((rule) => (rule.kind === "works" ? dateTexts(rule, one) : []))));
  const closed = new Map<string, readonly string[]>();
  const toMove: { readonly date: Temporal.PlainDate; readonly name: string; readonly substitute: Substitute }[] = [];
  for (const rule of rules.filter(({ kind }) => kind !== "works")) {
    for (const date of around.flatMap((one) => holidayDatesIn(rule, one))) {
      closed.set(date.toString(), [...(closed.get(date.toString()) ?? []), ...(rule.name === "" ? [] : [rule.name])]);
      toMove.push({ date, name: rule.name, substitute: substituteFor(rule) });
    }
  }
  for (const { date, name, substitute } of toMove.toSorted((a, b) => Temporal.PlainDate.compare(a.date, b.date))) {
    const observed = observedOn(date, substitute, version, closed);
    if (observed !== null) closed.set(observed, [`${name}, observed`]);
  }
  return { closed, working };
}

/** #3 The substitute of a holiday; null: none. */
function observedOn(
  date: Temporal.PlainDate,
  substitute: Substitute,
  { workingDays }: CalendarVersion,
  closed: ReadonlyMap<string, unknown>,
): string | null {
  if (substitute === "monday-after-sunday") {
    const monday = date.add({ days: 1 }).toString();
    return date.dayOfWeek === 7 && !closed.has(monday) ? monday : null;
  }
  if (substitute === "none" || workingDays.includes(date.dayOfWeek)) return null;
  const later = Array.from({ length: 28 }, (_, days) => date.add({ days: days + 1 }));
  return later.find((one) => workingDays.includes(one.dayOfWeek) && !closed.has(one.toString()))?.toString() ?? null;
}

function dateTexts(rule: HolidayRule, year: number): readonly string[] {
  return holidayDatesIn(rule, year).map((date) => date.toString());
}

function datedOnly(date: string): HolidayRule {
  return { kind: "dates", name: "", dates: [date], substitute: "none", from: null, to: null };
}
