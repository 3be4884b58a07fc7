import * as fc from "fast-check";
import { expect, test } from "vitest";
import { easterSunday } from "./index.ts";

/** Easter Sundays of 2000 to 2050 as almanacs print them (Book of Common Prayer, U.S. Naval Observatory). */
const published = `04-23 04-15 03-31 04-20 04-11 03-27 04-16 04-08 03-23 04-12 04-04 04-24 04-08 03-31 04-20 04-05 03-27 04-16 04-01 04-21
04-12 04-04 04-17 04-09 03-31 04-20 04-05 03-28 04-16 04-01 04-21 04-13 03-28 04-17 04-09 03-25 04-13 04-05 04-25 04-10
04-01 04-21 04-06 03-29 04-17 04-09 03-25 04-14 04-05 04-18 04-10`.split(/\s/);

test("Easter Sunday is the published one, 2000 to 2050", () => {
  const made = published.map((_, index) => easterSunday(2_000 + index).toString());
  expect(made).toEqual(published.map((monthDay, index) => `${2_000 + index}-${monthDay}`));
});

/** The same by Gauss's formula: days after 22 March, with its two exceptions. */
function byGauss(year: number): Temporal.PlainDate {
  const century = Math.floor(year / 100);
  const moon = (15 - Math.floor((8 * century + 13) / 25) + century - Math.floor(century / 4)) % 30;
  const sun = (4 + century - Math.floor(century / 4)) % 7;
  const afterEquinox = (19 * (year % 19) + moon) % 30;
  const toSunday = (2 * (year % 4) + 4 * (year % 7) + 6 * afterEquinox + sun) % 7;
  const isLate = toSunday === 6 && (afterEquinox === 29 || (afterEquinox === 28 && (11 * moon + 11) % 30 < 19));
  return Temporal.PlainDate.from({ year, month: 3, day: 22 }).add({ days: afterEquinox + toSunday - (isLate ? 7 : 0) });
}

test("in every Gregorian year it is a Sunday from 22 March to 25 April, and the one that Gauss finds", () => {
  const holds = (year: number): boolean => {
    const easter = easterSunday(year);
    const monthDay = easter.toString().slice(-5);
    return easter.dayOfWeek === 7 && monthDay >= "03-22" && monthDay <= "04-25" && easter.equals(byGauss(year));
  };
  for (let year = 1_900; year < 2_200; year += 1) expect([year, holds(year)]).toEqual([year, true]);
  expect(() => fc.assert(fc.property(fc.integer({ min: 1_583, max: 9_999 }), holds), { numRuns: 1_000 })).not.toThrow();
});
