// The calendars that ship: South Africa's, as data in `data/calendar-za.json`.

import type { Calendar } from "@sluice/calendar";
import data from "../../data/calendar-za.json" with { type: "json" };

export const southAfrica: Calendar = {
  version: data.version,
  zone: data.zone,
  workingDays: data.workingDays,
  holidays: data.holidays.map(({ date }) => date),
};

/** For credits that are final at once: every day is a business date. */
export const southAfricaEveryDay: Calendar = {
  version: "za-every-day/1",
  zone: data.zone,
  workingDays: [1, 2, 3, 4, 5, 6, 7],
  holidays: [],
};
