// The shipped calendars. South Africa's is data in `data/calendar-za.json`, in the shape of the configuration file.

import type { Calendar } from "@sluice/calendar";
import data from "../../../data/calendar-za.json" with { type: "json" };
import { buildCalendar, calendarSchema } from "./calendar-schema.ts";

export const southAfrica: Calendar = buildCalendar(calendarSchema.parse(data));

/** The calendar for credits that are final at once: every day is a business date. */
export const southAfricaEveryDay: Calendar = {
  version: "za-every-day/1",
  zone: southAfrica.zone,
  workingDays: [1, 2, 3, 4, 5, 6, 7],
  holidays: [],
};
