export { businessDateOf, firstReconciliationCloseAfter, subServiceOf } from "./business-date.ts";
export type { BusinessDate, NamedDates, SubService } from "./business-date.ts";
export { datesAhead, isWorkingDay, localDate, nextBusinessDate } from "./calendar.ts";
export type { Calendar, SchemeTimes } from "./calendar.ts";
export { readLocalTime, wallMs } from "./local-time.ts";
export type { LocalTime } from "./local-time.ts";
export { planDay } from "./plan-day.ts";
export type { PlannedTimes } from "./plan-day.ts";
