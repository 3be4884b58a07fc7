// Rules of holidays, as data, and the dates that a rule gives in a year.
//
// #1 A rule counts on the dates from `from` to `to`, both included; a substitute follows the date of its holiday.
// #2 A date that a year does not have (29 February, a fifth Monday) is left out.

import { easterSunday } from "./easter.ts";

/**
 * The further closed date when a holiday falls on a weekend. `monday-after-sunday`: the Monday after a Sunday, and no
 * other day if that Monday is a holiday already (Public Holidays Act 36 of 1994, section 2(1)). `next-working-day`: for
 * a holiday on a weekday that does not work, the next date that works and is not another holiday's substitute.
 */
export type Substitute = "none" | "monday-after-sunday" | "next-working-day";

interface Named {
  readonly name: string;
  /** #1 The first and the last date, YYYY-MM-DD; null: open. */
  readonly from: string | null;
  readonly to: string | null;
}

type ClosingRule =
  /** On the same day each year, `MM-DD`. */
  | (Named & { readonly kind: "fixed"; readonly monthDay: string; readonly substitute: Substitute })
  /** A number of days after Western Easter Sunday; negative: before it. */
  | (Named & { readonly kind: "easter"; readonly days: number; readonly substitute: Substitute })
  /** The nth weekday of a month, 1 = Monday; week 1 is the first, -1 the last. */
  | (Named & { readonly kind: "weekday"; readonly month: number; readonly weekday: number; readonly week: number })
  /** Single dates, for example proclaimed ones. */
  | (Named & { readonly kind: "dates"; readonly dates: readonly string[]; readonly substitute: Substitute });

/** Dates that work whatever their weekday and the other rules say. */
type WorkingRule = Named & { readonly kind: "works"; readonly dates: readonly string[] };

export type HolidayRule = ClosingRule | WorkingRule;

/** Returns the dates that a rule names in a year, without substitutes and in no order. */
export function holidayDatesIn(rule: HolidayRule, year: number): readonly Temporal.PlainDate[] {
  return datesIn(rule, year).filter((date) => isValidOn(rule, date.toString()));
}

export function substituteFor(rule: HolidayRule): Substitute {
  return "substitute" in rule ? rule.substitute : "none";
}

function datesIn(rule: HolidayRule, year: number): readonly Temporal.PlainDate[] {
  switch (rule.kind) {
    case "fixed":
      return dateOrNone(year, Number(rule.monthDay.slice(0, 2)), Number(rule.monthDay.slice(3)));
    case "easter":
      // An offset can reach into another year.
      return [year - 1, year, year + 1].map((of) => easterSunday(of).add({ days: rule.days })).filter((date) => date.year === year);
    case "weekday":
      return nthWeekday(year, rule.month, rule.weekday, rule.week);
    case "dates":
    case "works":
      return rule.dates.map((date) => Temporal.PlainDate.from(date)).filter((date) => date.year === year);
    default:
      throw new Error(`no such rule: ${JSON.stringify(rule satisfies never)}`);
  }
}

function isValidOn({ from, to }: HolidayRule, date: string): boolean {
  return (from === null || from <= date) && (to === null || date <= to);
}

function dateOrNone(year: number, month: number, day: number): readonly Temporal.PlainDate[] {
  return day > Temporal.PlainYearMonth.from({ year, month }).daysInMonth ? [] : [Temporal.PlainDate.from({ year, month, day })];
}

function nthWeekday(year: number, month: number, weekday: number, week: number): readonly Temporal.PlainDate[] {
  const { daysInMonth } = Temporal.PlainYearMonth.from({ year, month });
  const edge = Temporal.PlainDate.from({ year, month, day: week > 0 ? 1 : daysInMonth });
  const toFirst = week > 0 ? (weekday - edge.dayOfWeek + 7) % 7 : -((edge.dayOfWeek - weekday + 7) % 7);
  const date = edge.add({ days: toFirst + 7 * (week > 0 ? week - 1 : week + 1) });
  return date.month === month ? [date] : [];
}
