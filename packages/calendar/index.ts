export { businessDateOf, firstReconciliationCloseAfter, offUsBusinessDateOf, subServiceOf } from "./business-date.ts";
export type { BusinessDate, NamedDates, SubService, UsableDate } from "./business-date.ts";
export { creditBusinessDate, datesAhead, isWorkingDay, localDate } from "./calendar.ts";
export type { Calendar, SchemeTimes } from "./calendar.ts";
export { readLocalTime, wallMs } from "./local-time.ts";
export type { LocalTime } from "./local-time.ts";
export { planDay } from "./plan-day.ts";
export type { PlannedTimes } from "./plan-day.ts";
