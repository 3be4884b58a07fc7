// Western Easter Sunday, by the computus of the Gregorian calendar (anonymous Gregorian algorithm, first printed in
// Nature, 1876). Valid for every Gregorian year.

/** Returns Easter Sunday of a year. */
export function easterSunday(year: number): Temporal.PlainDate {
  const goldenNumber = year % 19;
  const [century, yearOfCentury] = [Math.floor(year / 100), year % 100];
  const [leapCenturies, centuryRest] = [Math.floor(century / 4), century % 4];
  const lunarCorrection = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * goldenNumber + century - leapCenturies - lunarCorrection + 15) % 30;
  const [leapYears, yearRest] = [Math.floor(yearOfCentury / 4), yearOfCentury % 4];
  const daysToSunday = (32 + 2 * centuryRest + 2 * leapYears - epact - yearRest) % 7;
  const exception = Math.floor((goldenNumber + 11 * epact + 22 * daysToSunday) / 451);
  const days = epact + daysToSunday - 7 * exception + 114;
  return Temporal.PlainDate.from({ year, month: Math.floor(days / 31), day: (days % 31) + 1 });
}
