// One date of a scheme as people read it: its windows in local time and UTC, or why it has none.

import { current, next, noBusinessOn, planDay, versionOn } from "@sluice/calendar";
import type { ComingTime, NoBusiness } from "@sluice/calendar";
import type { Scheme } from "@sluice/config";

/** Local wall clock and UTC, RFC 3339. */
export interface Moment {
  readonly local: string;
  readonly utc: string;
}

export interface ShownWindow {
  readonly number: number;
  readonly opens: Moment;
  readonly closes: Moment;
}

export interface ShownDay {
  readonly date: string;
  /** Of the calendar, in force on the date; null: none is. */
  readonly calendarVersion: string | null;
  /** Null: a business date. */
  readonly closed: NoBusiness | null;
  /** Of a scheme of credits alone: none. */
  readonly windows: readonly ShownWindow[];
  /** Numbers of configured windows that a missing hour leaves no time. */
  readonly voidWindows: readonly number[];
  readonly cutOff: Moment | null;
  readonly reconciliation: Moment | null;
}

export function shownDay({ id, times, takesDebits }: Scheme, date: string): ShownDay {
  const closed = noBusinessOn(times, date);
  const calendarVersion = versionOn(times.calendar, date)?.version ?? null;
  const bare = { date, calendarVersion, closed, windows: [], voidWindows: [], cutOff: null, reconciliation: null };
  if (closed !== null || !takesDebits) return bare;
  const plan = planDay(times, id, date);
  const { zone } = times.calendar;
  const moment = (atMs: number): Moment => momentOf(atMs, zone);
  return {
    ...bare,
    windows: plan.windows.map(({ number, opensAtMs, closesAtMs }) => ({ number, opens: moment(opensAtMs), closes: moment(closesAtMs) })),
    voidWindows: times.processing.map((_, index) => index + 1).filter((number) => !plan.windows.some((one) => one.number === number)),
    cutOff: moment(plan.cutOffAtMs),
    reconciliation: moment(plan.reconciliationAtMs),
  };
}

/** What is open at an instant, and what comes next. */
export interface ShownNow {
  readonly at: Moment;
  readonly open: readonly { readonly businessDate: string; readonly number: number; readonly closes: Moment }[];
  /** Null: the calendar has ended. */
  readonly opening: ShownTime | null;
  readonly closing: ShownTime | null;
  readonly reconciliation: ShownTime | null;
}

interface ShownTime extends Moment {
  readonly businessDate: string;
}

export function shownNow({ times }: Scheme, atMs: number): ShownNow {
  const { zone } = times.calendar;
  const coming = next(times, atMs);
  const shown = (time: ComingTime | null): ShownTime | null =>
    time === null ? null : { businessDate: time.businessDate, ...momentOf(time.atMs, zone) };
  return {
    at: momentOf(atMs, zone),
    open: current(times, atMs).map(({ businessDate, number, closesAtMs }) => ({
      businessDate,
      number,
      closes: momentOf(closesAtMs, zone),
    })),
    opening: shown(coming.opening),
    closing: shown(coming.closing),
    reconciliation: shown(coming.reconciliation),
  };
}

export function nowText({ at, open, opening, reconciliation }: ShownNow): string {
  const clock = (time: Moment): string => `${time.local.slice(0, 10)} ${clockText(time, time.local.slice(0, 10))}`;
  const windows = open.map(({ businessDate, number, closes }) => `window ${number} of ${businessDate} is open until ${clock(closes)}`);
  const parts = [
    windows.length === 0 ? "no window is open" : windows.join(" and "),
    ...(opening === null ? ["none opens any more"] : [`the next opens ${clock(opening)}`]),
    ...(reconciliation === null ? [] : [`the next reconciliation close is ${clock(reconciliation)}`]),
  ];
  return `now, ${clock(at)}: ${parts.join("; ")}`;
}

/** `2026-12-01 Tue`, and what of it. */
export function dayText(day: ShownDay, takesDebits: boolean): string {
  return `${weekdayText(day.date)}  ${contentText(day, takesDebits)}`;
}

/** Without its date: equal texts are equal days. */
export function contentText(day: ShownDay, takesDebits: boolean): string {
  if (day.closed !== null) return closedText(day.closed, day.date);
  if (day.cutOff === null || day.reconciliation === null) return takesDebits ? "no window" : "works, credits only";
  const clock = (moment: Moment): string => clockText(moment, day.date);
  const windows = day.windows.map(({ opens, closes }) => rangeText(opens, closes, day.date));
  const numbered = windows.map((text, index) =>
    windows.length + day.voidWindows.length === 1 ? text : `${day.windows[index]?.number}: ${text}`,
  );
  const voids = day.voidWindows.map((number) => `${number}: no time, the hour is missing`);
  return `${[...numbered, ...voids].join(", ")}; cut-off ${clock(day.cutOff)}; reconciliation ${clock(day.reconciliation)}`;
}

export function closedText(closed: NoBusiness, date: string): string {
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

export function weekdayText(date: string): string {
  return `${date} ${Temporal.PlainDate.from(date).toLocaleString("en-GB", { weekday: "short" })}`;
}

function rangeText(opens: Moment, closes: Moment, date: string): string {
  const [from, to] = [opens, closes].map((moment) => [wallText(moment.local, date), wallText(moment.utc, date)] as const);
  return `${from?.[0]}-${to?.[0]} (${from?.[1]}-${to?.[1]} UTC)`;
}

function clockText({ local, utc }: Moment, date: string): string {
  return `${wallText(local, date)} (${wallText(utc, date)} UTC)`;
}

/** `17:30`, `17:30:05`, `+1d 02:00` or `-1d 22:00`, as from `date`. */
function wallText(text: string, date: string): string {
  const days = Temporal.PlainDate.from(date).until(text.slice(0, 10)).days;
  const time = text.slice(11, 19).replace(/:00$/, "");
  return days === 0 ? time : `${days > 0 ? "+" : ""}${days}d ${time}`;
}

function momentOf(atMs: number, zone: string): Moment {
  const instant = Temporal.Instant.fromEpochMilliseconds(atMs);
  const local = instant.toZonedDateTimeISO(zone).toString({ timeZoneName: "never", smallestUnit: "second" });
  return { local, utc: instant.toString({ smallestUnit: "second" }) };
}
