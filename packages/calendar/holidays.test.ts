import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Calendar, calendarVersionOn, type HolidayRule, isWorkingDay, noBusinessReasonOn, planDay, type Substitute } from "./index.ts";

const always = { from: null, to: null } as const;
const weekdays = [1, 2, 3, 4, 5];

function buildCalendar(holidays: Calendar["holidays"], over: Partial<Calendar> = {}): Calendar {
  return { version: "1", zone: "UTC", workingDays: [1, 2, 3, 4, 5, 6], holidays, ...over };
}

function reason(calendar: Calendar, date: string): string {
  const times = { calendar, processing: [{ opens: "08:00", closes: "16:00" }], reconciliation: "17:30", cutOffMs: 0 };
  const found = noBusinessReasonOn(times, date);
  if (found === null) return "works";
  return found.kind === "holiday" ? (found.name ?? "a holiday") : found.kind;
}

/** The dates of a year that a calendar closes by a named holiday. */
function closedIn(year: number, calendar: Calendar): readonly string[] {
  const first = Temporal.PlainDate.from({ year, month: 1, day: 1 });
  const dates = Array.from({ length: first.daysInYear }, (_, days) => first.add({ days }).toString());
  return dates.flatMap((date) => {
    const why = reason(calendar, date);
    return ["works", "weekday"].includes(why) ? [] : [`${date.slice(5)} ${why}`];
  });
}

function fixed(name: string, monthDay: string, substitute: Substitute = "none"): HolidayRule {
  return { kind: "fixed", name, monthDay, substitute, ...always };
}

describe("a rule", () => {
  test("closes a day of each year, and leaves out one that a year does not have", () => {
    const calendar = buildCalendar([fixed("New Year", "01-01"), fixed("Leap", "02-29")]);
    expect([2027, 2028].map((year) => closedIn(year, calendar))).toEqual([["01-01 New Year"], ["01-01 New Year", "02-29 Leap"]]);
  });

  test("closes days after or before Easter Sunday", () => {
    const easter = (name: string, days: number): HolidayRule => ({ kind: "easter", name, days, substitute: "none", ...always });
    const calendar = buildCalendar([easter("Good Friday", -2), easter("Ascension", 39), easter("early", -100)]);
    expect(closedIn(2027, calendar)).toEqual(["03-26 Good Friday", "05-06 Ascension", "12-18 early"].toSorted().slice(0, 2));
    // 100 days before Easter of the next year.
    expect(closedIn(2023, calendar)).toEqual(["04-07 Good Friday", "05-18 Ascension", "12-22 early"]);
  });

  test("closes the nth weekday of a month, from its beginning or from its end", () => {
    const nth = (name: string, weekday: number, week: number, month: number): HolidayRule => ({
      kind: "weekday",
      name,
      weekday,
      week,
      month,
      ...always,
    });
    const calendar = buildCalendar([nth("May Day", 1, 1, 5), nth("Spring", 1, -1, 5), nth("Thanks", 4, 4, 11), nth("fifth", 1, 5, 2)]);
    expect(closedIn(2026, calendar)).toEqual(["05-04 May Day", "05-25 Spring", "11-26 Thanks"]);
    expect(closedIn(2027, calendar)).toEqual(["05-03 May Day", "05-31 Spring", "11-25 Thanks"]);
    expect(closedIn(2044, calendar)).toContain("02-29 fifth");
  });

  test("counts from its first to its last date", () => {
    const from2026 = { ...fixed("New", "04-27"), from: "2026-04-27", to: "2027-04-27" };
    expect([2025, 2026, 2027, 2028].map((year) => closedIn(year, buildCalendar([from2026])).length)).toEqual([0, 1, 1, 0]);
  });

  test("makes a date work after all, whatever closed it", () => {
    const works: HolidayRule = { kind: "works", name: "moved", dates: ["2026-12-26", "2026-12-27"], ...always };
    const calendar = buildCalendar(["2026-12-26", fixed("Christmas", "12-25"), works]);
    expect(["2026-12-25", "2026-12-26", "2026-12-27", "2027-01-03"].map((date) => reason(calendar, date))).toEqual([
      "Christmas",
      "works",
      "works",
      "weekday",
    ]);
  });

  test("a date without a name is a holiday too, and two holidays on one date are both named", () => {
    const calendar = buildCalendar(["2026-04-27", fixed("Freedom Day", "04-27"), fixed("King's Day", "04-27")]);
    expect(reason(calendar, "2026-04-27")).toBe("Freedom Day and King's Day");
    expect(reason(buildCalendar(["2026-04-27"]), "2026-04-27")).toBe("a holiday");
  });
});

describe("a substitute", () => {
  test("is the Monday after a Sunday, and no other day if that Monday is a holiday already", () => {
    const calendar = buildCalendar([fixed("Christmas", "12-25", "monday-after-sunday"), fixed("Goodwill", "12-26", "monday-after-sunday")]);
    // 2021: Saturday and Sunday. 2022: Sunday and Monday.
    expect(closedIn(2021, calendar)).toEqual(["12-25 Christmas", "12-26 Goodwill", "12-27 Goodwill, observed"]);
    expect(closedIn(2022, calendar)).toEqual(["12-25 Christmas", "12-26 Goodwill"]);
  });

  test("is the next date that works and is no other holiday's substitute", () => {
    const rules = [fixed("Boxing", "12-26", "next-working-day"), fixed("Christmas", "12-25", "next-working-day")];
    const calendar = buildCalendar(rules, { workingDays: weekdays });
    const substitutes = (year: number): readonly string[] => closedIn(year, calendar).filter((line) => line.includes("observed"));
    expect([2020, 2021, 2022, 2026].map(substitutes)).toEqual([
      ["12-28 Boxing, observed"],
      ["12-27 Christmas, observed", "12-28 Boxing, observed"],
      ["12-27 Christmas, observed"],
      ["12-28 Boxing, observed"],
    ]);
  });

  test("can be in the next year", () => {
    const calendar = buildCalendar([fixed("Old Year", "12-31", "monday-after-sunday")]);
    expect(closedIn(2024, calendar)).toEqual(["01-01 Old Year, observed", "12-31 Old Year"]);
  });
});

const versioned = buildCalendar([fixed("New Day", "06-01")], {
  version: "3",
  validFrom: "2027-01-01",
  validTo: "2028-12-31",
  earlier: [
    { version: "1", workingDays: [1, 2, 3, 4, 5, 6], holidays: [], validFrom: "2025-01-01" },
    { version: "2", workingDays: weekdays, holidays: ["2026-06-01"], validFrom: "2026-01-01", validTo: "2026-11-30" },
  ],
});

describe("a calendar with versions", () => {
  test("applies the version in force on a date; a date outside all versions is no business date", () => {
    const dates = ["2024-12-31", "2025-01-04", "2026-01-03", "2026-06-01", "2026-12-01", "2027-01-02", "2027-06-01", "2029-01-01"];
    expect(dates.map((date) => reason(versioned, date))).toEqual([
      "not-valid",
      "works",
      "weekday",
      "a holiday",
      "not-valid",
      "works",
      "New Day",
      "not-valid",
    ]);
    expect(dates.map((date) => calendarVersionOn(versioned, date)?.version ?? "-").join("")).toBe("-122-33-");
  });

  test("never changes a date before a new version [D9 calendar]", () => {
    const newer: Calendar = {
      ...versioned,
      version: "4",
      validFrom: "2028-01-01",
      holidays: [],
      earlier: [versioned, ...(versioned.earlier ?? [])],
    };
    const dates = fc.integer({ min: 0, max: 365 * 4 }).map((days) => Temporal.PlainDate.from("2024-06-01").add({ days }).toString());
    const holds = (date: string): boolean => date >= "2028-01-01" || isWorkingDay(newer, date) === isWorkingDay(versioned, date);
    expect(() => fc.assert(fc.property(dates, holds), { numRuns: 300 })).not.toThrow();
  });
});

test("the last dates of a calendar are planned without a next business date", () => {
  const times = { calendar: versioned, processing: [{ opens: "08:00", closes: "16:00" }], reconciliation: "17:30", cutOffMs: 0 };
  const next = ["2028-12-29", "2028-12-30", "2028-12-31", "2029-05-05"].map((date) => planDay(times, "X", date).nextBusinessDate);
  expect(next).toEqual(["2028-12-30", null, null, null]);
});

test("a date that the zone's clocks skipped is no business date, and never the next one", () => {
  const apia = buildCalendar([], { zone: "Pacific/Apia", workingDays: [1, 2, 3, 4, 5, 6, 7] });
  const times = { calendar: apia, processing: [{ opens: "08:00", closes: "16:00" }], reconciliation: "17:30", cutOffMs: 0 };
  expect(reason(apia, "2011-12-30")).toBe("skipped-date");
  expect(planDay(times, "X", "2011-12-29").nextBusinessDate).toBe("2011-12-31");
  expect(planDay(times, "X", "2011-12-30")).toMatchObject({ isWorkingDay: false, windows: [] });
});
