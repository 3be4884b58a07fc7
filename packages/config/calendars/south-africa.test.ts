import { expect, test } from "vitest";
import { easterSunday, isWorkingDay, noBusinessReasonOn } from "@sluice/calendar";
import { southAfrica, southAfricaEveryDay } from "../index.ts";

const times = { calendar: southAfrica, processing: [{ opens: "08:00", closes: "16:00" }], reconciliation: "17:30", cutOffMs: 0 };

function listDates(year: number): readonly string[] {
  const first = Temporal.PlainDate.from({ year, month: 1, day: 1 });
  return Array.from({ length: first.daysInYear }, (_, days) => first.add({ days }).toString());
}

function listHolidays(year: number): readonly string[] {
  return listDates(year).filter((date) => noBusinessReasonOn(times, date)?.kind === "holiday");
}

/**
 * The published holidays of 2020 to 2027, including proclaimed days: the dates of the government's yearly lists
 * (gov.za, "Public holidays"), taken from the data of an open library of holidays (python-holidays, read in November
 * 2026). Its data agree with ours on every date of 2020 to 2050 except 2026-11-04, which was gazetted after its
 * release.
 */
const published: Readonly<Record<number, string>> = {
  2020: "01-01 03-21 04-10 04-13 04-27 05-01 06-16 08-09 08-10 09-24 12-16 12-25 12-26",
  2021: "01-01 03-21 03-22 04-02 04-05 04-27 05-01 06-16 08-09 09-24 11-01 12-16 12-25 12-26 12-27",
  2022: "01-01 03-21 04-15 04-18 04-27 05-01 05-02 06-16 08-09 09-24 12-16 12-25 12-26 12-27",
  2023: "01-01 01-02 03-21 04-07 04-10 04-27 05-01 06-16 08-09 09-24 09-25 12-15 12-16 12-25 12-26",
  2024: "01-01 03-21 03-29 04-01 04-27 05-01 05-29 06-16 06-17 08-09 09-24 12-16 12-25 12-26",
  2025: "01-01 03-21 04-18 04-21 04-27 04-28 05-01 06-16 08-09 09-24 12-16 12-25 12-26",
  2026: "01-01 03-21 04-03 04-06 04-27 05-01 06-16 08-09 08-10 09-24 11-04 12-16 12-25 12-26",
  2027: "01-01 03-21 03-22 03-26 03-29 04-27 05-01 06-16 08-09 09-24 12-16 12-25 12-26 12-27",
};

test.each(Object.entries(published))("South Africa's holidays of %s are the published ones [D9 calendar]", (year, list) => {
  expect(listHolidays(Number(year))).toEqual(list.split(" ").map((monthDay) => `${year}-${monthDay}`));
});

/** The Act as a second implementation: it starts from each date, not from each rule. */
function isHolidayByTheAct(date: Temporal.PlainDate): boolean {
  const schedule = "0101 0321 0427 0501 0616 0809 0924 1216 1225 1226".split(" ");
  const isScheduled = (of: Temporal.PlainDate): boolean => {
    const easter = easterSunday(of.year);
    const fromEaster = easter.until(of).days;
    return fromEaster === -2 || fromEaster === 1 || schedule.includes(of.toString().slice(5).replace("-", ""));
  };
  if (isScheduled(date)) return true;
  return date.dayOfWeek === 1 && isScheduled(date.subtract({ days: 1 }));
}

test("from 2020 to 2040 South Africa's holidays are those of the Act and the proclaimed days [D9 calendar]", () => {
  const proclaimed = ["2021-11-01", "2022-12-27", "2023-12-15", "2024-05-29", "2026-11-04"];
  for (let year = 2020; year <= 2040; year += 1) {
    const byTheAct = listDates(year).filter((date) => isHolidayByTheAct(Temporal.PlainDate.from(date)) || proclaimed.includes(date));
    expect(listHolidays(year)).toEqual(byTheAct);
  }
});

test("South Africa's calendar closes on Sundays too, and has a version of its own", () => {
  expect([southAfrica.version, southAfrica.zone, southAfrica.workingDays]).toEqual(["za/2", "Africa/Johannesburg", [1, 2, 3, 4, 5, 6]]);
  expect(noBusinessReasonOn(times, "2026-08-10")).toEqual({ kind: "holiday", name: "National Women's Day, observed" });
  expect(noBusinessReasonOn(times, "2026-11-22")).toEqual({ kind: "weekday" });
  expect(noBusinessReasonOn(times, "2026-11-21")).toBeNull();
});

test("credits that are final at once are accepted every day", () => {
  expect(listDates(2026).every((date) => isWorkingDay(southAfricaEveryDay, date))).toBe(true);
});
