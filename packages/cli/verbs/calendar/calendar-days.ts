// Formats one date of a scheme: its windows in local time and UTC, or the reason why it has none.

import {
  calendarVersionOn,
  type NextTime,
  nextTimesAfter,
  type NoBusinessReason,
  noBusinessReasonOn,
  openWindowsAt,
  planDay,
} from "@sluice/calendar";
import type { Scheme } from "@sluice/config";

/** One instant as local wall clock and as UTC, both RFC 3339. */
interface LocalMoment {
  readonly local: string;
  readonly utc: string;
}

interface CalendarWindow {
  readonly number: number;
  readonly opens: LocalMoment;
  readonly closes: LocalMoment;
}

export interface CalendarDay {
  readonly date: string;
  /** Version of the calendar in force on the date; null: none is in force. */
  readonly calendarVersion: string | null;
  /** Why the date is no business date; null: it is one. */
  readonly closed: NoBusinessReason | null;
  /** Windows of the date; a scheme that takes only credits has none. */
  readonly windows: readonly CalendarWindow[];
  /** Numbers of configured windows that a missing hour removes. */
  readonly voidWindows: readonly number[];
  readonly cutOff: LocalMoment | null;
  readonly reconciliation: LocalMoment | null;
}

export function describeDay({ id, times, takesDebits }: Scheme, date: string): CalendarDay {
  const closed = noBusinessReasonOn(times, date);
  const calendarVersion = calendarVersionOn(times.calendar, date)?.version ?? null;
  const bare = { date, calendarVersion, closed, windows: [], voidWindows: [], cutOff: null, reconciliation: null };
  if (closed !== null || !takesDebits) return bare;
  const plan = planDay(times, id, date);
  const { zone } = times.calendar;
  const moment = (atMs: number): LocalMoment => toMoment(atMs, zone);
  return {
    ...bare,
    windows: plan.windows.map(({ number, opensAtMs, closesAtMs }) => ({ number, opens: moment(opensAtMs), closes: moment(closesAtMs) })),
    voidWindows: times.processing.map((_, index) => index + 1).filter((number) => !plan.windows.some((one) => one.number === number)),
    cutOff: moment(plan.cutOffAtMs),
    reconciliation: moment(plan.reconciliationAtMs),
  };
}

/** The windows that are open at an instant, and the times that come next. */
export interface CalendarNow {
  readonly at: LocalMoment;
  readonly open: readonly { readonly businessDate: string; readonly number: number; readonly closes: LocalMoment }[];
  /** The next opening; null: the calendar has ended. */
  readonly opening: ShownTime | null;
  readonly closing: ShownTime | null;
  readonly reconciliation: ShownTime | null;
}

interface ShownTime extends LocalMoment {
  readonly businessDate: string;
}

export function describeNow({ times }: Scheme, atMs: number): CalendarNow {
  const { zone } = times.calendar;
  const coming = nextTimesAfter(times, atMs);
  const shown = (time: NextTime | null): ShownTime | null =>
    time === null ? null : { businessDate: time.businessDate, ...toMoment(time.atMs, zone) };
  return {
    at: toMoment(atMs, zone),
    open: openWindowsAt(times, atMs).map(({ businessDate, number, closesAtMs }) => ({
      businessDate,
      number,
      closes: toMoment(closesAtMs, zone),
    })),
    opening: shown(coming.opening),
    closing: shown(coming.closing),
    reconciliation: shown(coming.reconciliation),
  };
}

export function formatNow({ at, open, opening, reconciliation }: CalendarNow): string {
  const clock = (time: LocalMoment): string => `${time.local.slice(0, 10)} ${clockText(time, time.local.slice(0, 10))}`;
  const windows = open.map(({ businessDate, number, closes }) => `window ${number} of ${businessDate} is open until ${clock(closes)}`);
  const parts = [
    windows.length === 0 ? "no window is open" : windows.join(" and "),
    ...(opening === null ? ["none opens any more"] : [`the next opens ${clock(opening)}`]),
    ...(reconciliation === null ? [] : [`the next reconciliation close is ${clock(reconciliation)}`]),
  ];
  return `now, ${clock(at)}: ${parts.join("; ")}`;
}

/** The date with its weekday, such as `2026-12-01 Tue`, and its content. */
export function formatDay(day: CalendarDay, takesDebits: boolean): string {
  return `${formatWeekday(day.date)}  ${formatDayContent(day, takesDebits)}`;
}

/** The content of a day without its date: equal texts mean equal days. */
export function formatDayContent(day: CalendarDay, takesDebits: boolean): string {
  if (day.closed !== null) return formatClosed(day.closed, day.date);
  if (day.cutOff === null || day.reconciliation === null) return takesDebits ? "no window" : "works, credits only";
  const clock = (moment: LocalMoment): string => clockText(moment, day.date);
  const windows = day.windows.map(({ opens, closes }) => rangeText(opens, closes, day.date));
  const numbered = windows.map((text, index) =>
    windows.length + day.voidWindows.length === 1 ? text : `${day.windows[index]?.number}: ${text}`,
  );
  const voids = day.voidWindows.map((number) => `${number}: no time, the hour is missing`);
  return `${[...numbered, ...voids].join(", ")}; cut-off ${clock(day.cutOff)}; reconciliation ${clock(day.reconciliation)}`;
}

function formatClosed(closed: NoBusinessReason, date: string): string {
  switch (closed.kind) {
    case "holiday":
      return `closed: ${closed.name ?? "a date of the calendar"}`;
    case "weekday":
      return `closed: ${Temporal.PlainDate.from(date).toLocaleString("en-GB", { weekday: "long" })}`;
    case "not-valid":
      return "closed: outside the calendar's dates of validity";
    case "skipped-date":
      return "closed: the clocks skipped this date";
    case "missing-hour":
      return "closed: its windows lie in a missing hour";
    default:
      throw new Error(`no such reason: ${String(closed satisfies never)}`);
  }
}

export function formatWeekday(date: string): string {
  return `${date} ${Temporal.PlainDate.from(date).toLocaleString("en-GB", { weekday: "short" })}`;
}

function rangeText(opens: LocalMoment, closes: LocalMoment, date: string): string {
  const [from, to] = [opens, closes].map((moment) => [wallText(moment.local, date), wallText(moment.utc, date)] as const);
  return `${from?.[0]}-${to?.[0]} (${from?.[1]}-${to?.[1]} UTC)`;
}

function clockText({ local, utc }: LocalMoment, date: string): string {
  return `${wallText(local, date)} (${wallText(utc, date)} UTC)`;
}

/** Wall clock relative to `date`: `17:30`, `17:30:05`, `+1d 02:00` or `-1d 22:00`. */
function wallText(text: string, date: string): string {
  const days = Temporal.PlainDate.from(date).until(text.slice(0, 10)).days;
  const time = text.slice(11, 19).replace(/:00$/, "");
  return days === 0 ? time : `${days > 0 ? "+" : ""}${days}d ${time}`;
}

function toMoment(atMs: number, zone: string): LocalMoment {
  const instant = Temporal.Instant.fromEpochMilliseconds(atMs);
  const local = instant.toZonedDateTimeISO(zone).toString({ timeZoneName: "never", smallestUnit: "second" });
  return { local, utc: instant.toString({ smallestUnit: "second" }) };
}
