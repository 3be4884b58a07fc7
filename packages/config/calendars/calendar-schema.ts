// The shape of a calendar, in the configuration file and in the shipped data/: the rules of `packages/calendar` as
// people write them. A holiday is a date in quotes, or a rule with one of on, easter, weekday, dates and works.

import type { Calendar, CalendarVersion, HolidayRule } from "@sluice/calendar";
import { z } from "zod";

const datesMax = 400;
const dateText = "a date, YYYY-MM-DD, in quotes";
const date = z
  .string(dateText)
  .refine(isCalendarDate, dateText)
  .meta({ pattern: String.raw`^\d{4}-\d\d-\d\d$` });
const dates = z.array(date).min(1, "at least one").max(datesMax);
const monthDay = z
  .string("a day of the year, MM-DD, in quotes")
  .refine((given) => /^\d\d-\d\d$/.test(given) && isCalendarDate(`2024-${given}`), "a day of the year, MM-DD, in quotes")
  .meta({ pattern: String.raw`^\d\d-\d\d$`, description: "Each year on that day, MM-DD." });
const version = z.string().min(1, "must not be empty").max(48, "at most 48 characters");

const ruleKinds = ["on", "easter", "weekday", "dates", "works"] as const;

const ruleInFile = z
  .strictObject({
    name: z.string().min(1, "must not be empty").max(140),
    on: monthDay.optional(),
    easter: z.int().min(-100).max(200).optional().meta({ description: "Days after Western Easter Sunday; -2 is Good Friday." }),
    weekday: z
      .strictObject({
        weekday: z.int().min(1).max(7).meta({ description: "1 = Monday." }),
        week: z
          .int()
          .min(-5)
          .max(5)
          .refine((week) => week !== 0, "1 is the first, -1 the last")
          .meta({ description: "1 is the first in the month, -1 the last." }),
        month: z.int().min(1).max(12),
      })
      .optional(),
    dates: dates.optional().meta({ description: "Proclaimed for single dates." }),
    works: dates.optional().meta({ description: "Dates that work after all." }),
    substitute: z
      .enum(["none", "monday-after-sunday", "next-working-day"])
      .optional()
      .meta({ description: "Where else it is closed when the holiday is on a weekend." }),
    from: date.optional().meta({ description: "First date on which the rule counts." }),
    to: date.optional().meta({ description: "Last date on which the rule counts." }),
    source: z.string().max(500).optional().meta({ description: "Where it is laid down, for people." }),
  })
  .refine((rule) => ruleKinds.filter((kind) => rule[kind] !== undefined).length === 1, "needs one of on, easter, weekday, dates and works")
  .refine(({ weekday, works, substitute }) => substitute === undefined || (weekday === undefined && works === undefined), {
    message: "only of on, easter and dates",
    path: ["substitute"],
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, { message: "before from", path: ["to"] });

const holidays = z.array(z.union([date, ruleInFile.transform(toHolidayRule)])).max(1_000);

const versionMembers = {
  version,
  workingDays: z
    .array(z.int().min(1).max(7))
    .min(1, "at least one weekday, 1 = Monday")
    .max(7)
    .meta({ description: "Weekdays that work, 1 = Monday." }),
  holidays: holidays.default([]),
  validFrom: date.optional().meta({ description: "First date that it counts for. Left out: no first one." }),
  validTo: date.optional().meta({ description: "Last date that it counts for; later dates are no business dates. Left out: no last one." }),
};

export const calendarSchema = z
  .strictObject({
    ...versionMembers,
    zone: z
      .string()
      .refine(isZone, "an IANA zone or a fixed offset such as +05:00")
      .meta({ description: "IANA zone, or a fixed offset such as +05:00." }),
    notes: z.string().max(2_000).optional(),
    earlier: z
      .array(z.strictObject(versionMembers))
      .max(50)
      .default([])
      .meta({ description: "Versions that were in force before: what they made a business date stays one." }),
  })
  .superRefine((calendar, context) => {
    const versions = [{ path: [], given: calendar }, ...calendar.earlier.map((given, index) => ({ path: ["earlier", index], given }))];
    const add = (path: readonly PropertyKey[], message: string): void => context.addIssue({ code: "custom", path: [...path], message });
    versions.forEach(({ path, given }, index) => {
      const others = versions.slice(0, index).map((other) => other.given);
      if (others.some((other) => other.version === given.version)) add([...path, "version"], "another version has this name");
      if (others.some((other) => (other.validFrom ?? "") === (given.validFrom ?? "")))
        add([...path, "validFrom"], "another version begins then too");
      if (given.validTo !== undefined && given.validTo < (given.validFrom ?? "")) add([...path, "validTo"], "before validFrom");
    });
  });

/** Names of the shipped calendars. */
export const shippedCalendars = ["za", "za-every-day"] as const;

/** A shipped calendar with further holidays, for example a day that was proclaimed after its release. */
export const extendingSchema = z.strictObject({
  extends: z.enum(shippedCalendars).meta({ description: "A calendar that ships: its zone, weekdays and holidays, and those given here." }),
  version,
  holidays,
  notes: z.string().max(2_000).optional(),
});

export type CalendarInFile = z.infer<typeof calendarSchema>;

export function extendCalendar(base: Calendar, { version: name, holidays: further }: z.infer<typeof extendingSchema>): Calendar {
  return { ...base, version: name, holidays: [...base.holidays, ...further] };
}

export function buildCalendar({ zone, earlier, ...newest }: CalendarInFile): Calendar {
  return { ...toCalendarVersion(newest), zone, earlier: earlier.map(toCalendarVersion) };
}

function toCalendarVersion({
  version: name,
  workingDays,
  holidays: given,
  validFrom,
  validTo,
}: CalendarInFile["earlier"][number]): CalendarVersion {
  return {
    version: name,
    workingDays,
    holidays: given,
    ...(validFrom === undefined ? {} : { validFrom }),
    ...(validTo === undefined ? {} : { validTo }),
  };
}

function toHolidayRule(rule: z.infer<typeof ruleInFile>): HolidayRule {
  const { name, from = null, to = null, substitute = "none" } = rule;
  const named = { name, from, to };
  if (rule.on !== undefined) return { ...named, kind: "fixed", monthDay: rule.on, substitute };
  if (rule.easter !== undefined) return { ...named, kind: "easter", days: rule.easter, substitute };
  if (rule.weekday !== undefined) return { ...named, kind: "weekday", ...rule.weekday };
  if (rule.works !== undefined) return { ...named, kind: "works", dates: rule.works };
  return { ...named, kind: "dates", dates: rule.dates ?? [], substitute };
}

function isCalendarDate(given: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(given)) return false;
  try {
    Temporal.PlainDate.from(given, { overflow: "reject" });
    return true;
  } catch {
    return false;
  }
}

function isZone(given: string): boolean {
  if (!/^([A-Za-z_]+(\/[A-Za-z0-9_+-]+)*|[+-]\d\d:\d\d)$/.test(given)) return false;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(given).timeZoneId !== "";
  } catch {
    return false;
  }
}
