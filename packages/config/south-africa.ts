// The calendars that ship: South Africa's, as data in `data/calendar-za.json`, of the same shape as in a configuration file.

import type { Calendar } from "@sluice/calendar";
import data from "../../data/calendar-za.json" with { type: "json" };
import { calendarFrom, calendarSchema } from "./calendar-schema.ts";

export const southAfrica: Calendar = calendarFrom(calendarSchema.parse(data));

/** For credits that are final at once: every day is a business date. */
export const southAfricaEveryDay: Calendar = {
  version: "za-every-day/1",
  zone: southAfrica.zone,
  workingDays: [1, 2, 3, 4, 5, 6, 7],
  holidays: [],
};
