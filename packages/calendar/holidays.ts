// Which dates of a calendar are closed, and why.
//
// #1 The same data and date give the same answer; of a calendar with several versions the one in force on that date answers.
// #2 `works` comes before every other rule; then holidays and their substitutes; then the weekday.
// #3 Substitutes are found in the order of the dates that they are for, each on a date that is nobody else's.
// #4 A date that the zone's clocks skipped (a date line moved) is closed.

import type { Calendar, CalendarVersion } from "./calendar.ts";
import { datesOf, substituteOf } from "./holiday-rules.ts";
import type { HolidayRule, Substitute } from "./holiday-rules.ts";

/** Why a date does not work. */
export type Closure =
  | { readonly kind: "weekday" }
  /** `name` null: the date stands in the calendar without one. */
  | { readonly kind: "holiday"; readonly name: string | null }
  /** Before the first version of the calendar, or after its end. */
  | { readonly kind: "not-valid" }
  /** #4 */
  | { readonly kind: "skipped-date" };

/** #1 Null where the calendar is not valid. */
export function versionOn(calendar: Calendar, date: string): CalendarVersion | null {
  let inForce: CalendarVersion | null = null;
  for (const version of [calendar, ...(calendar.earlier ?? [])]) {
    const from = version.validFrom ?? "";
    if (from <= date && (inForce === null || from > (inForce.validFrom ?? ""))) inForce = version;
  }
  return inForce?.validTo !== undefined && inForce.validTo < date ? null : inForce;
}

/** Every message asks for dates: answers are kept, so many for each calendar. */
const answers = new WeakMap<Calendar, Map<string, Closure | null>>();
const answersKeptMax = 4_000;

/** Null: the date works. */
export function closureOf(calendar: Calendar, date: Temporal.PlainDate): Closure | null {
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
  const version = versionOn(calendar, text);
  if (version === null) return { kind: "not-valid" };
  const year = yearOf(version, date.year);
  if (!year.working.has(text)) {
    const holiday = year.closed.get(text);
    if (holiday !== undefined) return { kind: "holiday", name: holiday.join(" and ") || null };
    if (!version.workingDays.includes(date.dayOfWeek)) return { kind: "weekday" };
  }
  return date.toZonedDateTime(calendar.zone).toPlainDate().equals(date) ? null : { kind: "skipped-date" };
}

interface Year {
  /** Names by date; empty where a date stands without one. */
  readonly closed: ReadonlyMap<string, readonly string[]>;
  readonly working: ReadonlySet<string>;
}

/** Years are made once for each version of a calendar: every message asks for them. */
const years = new WeakMap<CalendarVersion, Map<number, Year>>();
const yearsKeptMax = 200;

function yearOf(version: CalendarVersion, year: number): Year {
  const known = years.get(version) ?? new Map<number, Year>();
  if (known.size >= yearsKeptMax) known.clear();
  years.set(version, known);
  const made = known.get(year) ?? makeYear(version, year);
  known.set(year, made);
  return made;
}

function makeYear(version: CalendarVersion, year: number): Year {
  const rules = version.holidays.map((given) => (typeof given === "string" ? datedOnly(given) : given));
  // A substitute may lie beyond the turn of the year.
  const around = [year - 1, year, year + 1];
  const working = new Set(around.flatMap((one) => rules.flatMap((rule) => (rule.kind === "works" ? textsOf(rule, one) : []))));
  const closed = new Map<string, readonly string[]>();
  const toMove: { readonly date: Temporal.PlainDate; readonly name: string; readonly substitute: Substitute }[] = [];
  for (const rule of rules.filter(({ kind }) => kind !== "works")) {
    for (const date of around.flatMap((one) => datesOf(rule, one))) {
      closed.set(date.toString(), [...(closed.get(date.toString()) ?? []), ...(rule.name === "" ? [] : [rule.name])]);
      toMove.push({ date, name: rule.name, substitute: substituteOf(rule) });
    }
  }
  for (const { date, name, substitute } of toMove.toSorted((a, b) => Temporal.PlainDate.compare(a.date, b.date))) {
    const observed = observedOn(date, substitute, version, closed);
    if (observed !== null) closed.set(observed, [`${name}, observed`]);
  }
  return { closed, working };
}

/** #3 */
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

function textsOf(rule: HolidayRule, year: number): readonly string[] {
  return datesOf(rule, year).map((date) => date.toString());
}

function datedOnly(date: string): HolidayRule {
  return { kind: "dates", name: "", dates: [date], substitute: "none", from: null, to: null };
}
