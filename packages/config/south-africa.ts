// The calendar that ships: South Africa's, as data in `data/calendar-za.json`.

import type { Calendar } from "@sluice/calendar";
import data from "../../data/calendar-za.json" with { type: "json" };

export const southAfrica: Calendar = {
  version: data.version,
  zone: data.zone,
  workingDays: data.workingDays,
  holidays: data.holidays.map(({ date }) => date),
};
