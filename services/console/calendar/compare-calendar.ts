// compareCalendar: what other holidays or hours would change: which dates of a scheme, and which held debits move. A
// holiday that the state declares is known days before; people ask what it does before they write it into the file.
//
// #1 The comparison is with the configuration in force. Nothing is written, and nothing is planned.
// #2 A date changes if its windows, its cut-off or its reconciliation close change, or if it starts or stops being a
//    business date.
// #3 Held debits are counted on every date of the range that changes.

import { type Calendar, type CalendarVersion, planDay, readLocalTime, type SchemeTimes, wallTimeMs } from "@sluice/calendar";
import type { Configuration, Scheme } from "@sluice/config";
import type { Store, TotalsRow } from "@sluice/store";
import type { ControlHandler } from "../http/control-handler.ts";
import { isDate } from "../http/control-parameters.ts";
import { formatAmount, invalidRequest } from "../views/control-values.ts";
import { describeDate, findAskedScheme, parseDates } from "./list-calendar.ts";

interface CompareCalendarPorts {
  readonly store: Pick<Store, "transactions">;
  readonly configuration: Pick<Configuration, "schemes">;
  readonly brokerNowMs: () => number | null;
}

const datesDefault = 366;
const noWindows = "windows: local times, for example 08:00-12:00,13:00-16:00, each after the one before.";

export function compareCalendar({ store, configuration, brokerNowMs }: CompareCalendarPorts): ControlHandler {
  return async ({ query }) => {
    const scheme = findAskedScheme(configuration, query.get("scheme"));
    if (scheme === undefined) return invalidRequest("scheme: a configured one.");
    const dates = parseDates(query, scheme, brokerNowMs(), datesDefault);
    if (!Array.isArray(dates)) return dates;
    const other = parseOther(query, scheme);
    if (typeof other === "string") return invalidRequest(other);
    const rows = dates.flatMap((date) => compareDate(scheme, other, date));
    const held = rows.length === 0 ? [] : await store.transactions.totals({ state: "HELD", scheme: scheme.id });
    const body = {
      schema: "CalendarDifference",
      scheme: scheme.id,
      zone: scheme.times.calendar.zone,
      from: dates[0] ?? "",
      to: dates.at(-1) ?? "",
      rows,
      held: held.flatMap((one) => findMove(one, rows, other)),
    };
    return { kind: "found", body };
  };
}

/** The scheme with what is asked for; a text says what is wrong. */
function parseOther(query: URLSearchParams, scheme: Scheme): Scheme | string {
  const closed = query.get("closed")?.split(",") ?? [];
  const windows = query.get("windows")?.split(",");
  if (closed.length === 0 && windows === undefined) return "closed, windows: at least one of them.";
  if (!closed.every((date) => isDate(date))) return "closed: dates, YYYY-MM-DD, with commas between them.";
  const processing = windows === undefined ? scheme.times.processing : parseWindows(windows);
  if (processing === null || !isInOrder(processing, scheme.times)) return noWindows;
  return { ...scheme, times: { ...scheme.times, calendar: closeDates(scheme.times.calendar, closed), processing } };
}

/** Every version of the calendar has them, whichever is in force on the date. */
function closeDates({ earlier = [], ...calendar }: Calendar, dates: readonly string[]): Calendar {
  const closing = (version: CalendarVersion): CalendarVersion => ({ ...version, holidays: [...version.holidays, ...dates] });
  return { ...calendar, holidays: [...calendar.holidays, ...dates], earlier: earlier.map(closing) };
}

function parseWindows(texts: readonly string[]): SchemeTimes["processing"] | null {
  const windows = texts.map((text) => /^([^-]+)-([^-]+)$/.exec(text.trim())?.slice(1) ?? []);
  const read = windows.map(([opens = "", closes = ""]) => ({ opens: opens.trim(), closes: closes.trim() }));
  return read.every(({ opens, closes }) => readLocalTime(opens) !== null && readLocalTime(closes) !== null) ? read : null;
}

function isInOrder(processing: SchemeTimes["processing"], { reconciliation }: SchemeTimes): boolean {
  const moments = [...processing.flatMap(({ opens, closes }) => [opens, closes]), reconciliation].map(wallTimeMs);
  return moments.every((atMs, index) => index === 0 || atMs > (moments[index - 1] ?? atMs));
}

/** #2 */
function compareDate(scheme: Scheme, other: Scheme, date: string) {
  const [before, after] = [describeDate(scheme, date), describeDate(other, date)];
  const times = ({ windows, cutOff, reconciliation }: typeof before): string => JSON.stringify([windows, cutOff, reconciliation]);
  const isClosing = before.closed === null && after.closed !== null;
  if (!isClosing && times(before) === times(after)) return [];
  return [{ date, change: isClosing ? ("removed" as const) : ("times" as const), before, after }];
}

/** #3 */
function findMove(row: TotalsRow, changed: readonly ReturnType<typeof compareDate>[number][], other: Scheme) {
  const { bank, businessDate, currency, count, sumTenThousandths } = row;
  const change = changed.find(({ date }) => date === businessDate)?.change;
  if (change === undefined || businessDate === null || currency === null) return [];
  const goesTo = change === "removed" ? planDay(other.times, other.id, businessDate).nextBusinessDate : businessDate;
  return [{ bank, businessDate, currency, count, sum: formatAmount(sumTenThousandths, currency), change, goesTo }];
}
