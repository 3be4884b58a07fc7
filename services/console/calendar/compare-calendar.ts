// compareCalendar: what other holidays or hours would change: which dates of a scheme, and which held debits move. A
// holiday that the state declares is known days before; people ask what it does before they write it into the file.
//
// #1 The comparison is with the configuration in force. Nothing is written, and nothing is planned.
// #2 Held debits are counted on every date, even outside of the dates shown.

import { type Calendar, type CalendarVersion, compareDates, readLocalTime, type SchemeTimes, wallTimeMs } from "@sluice/calendar";
import type { Configuration, Scheme } from "@sluice/config";
import type { Store } from "@sluice/store";
import type { ControlHandler } from "../http/control-handler.ts";
import { isDate } from "../http/control-parameters.ts";
import { invalidRequest } from "../views/control-values.ts";
import { findAskedScheme, parseDates } from "./list-calendar.ts";
import { showChange, showMove } from "./shown-changes.ts";

interface CompareCalendarPorts {
  readonly store: Pick<Store, "transactions">;
  readonly configuration: Pick<Configuration, "schemes">;
  readonly brokerNowMs: () => number | null;
}

const datesDefault = 366;
const noWindows = "windows: local times, for example 08:00-12:00,13:00-16:00, each after the one before.";

export function compareCalendar({ store, configuration, brokerNowMs }: CompareCalendarPorts): ControlHandler {
  return async ({ query, operator }) => {
    const scheme = findAskedScheme(configuration, query.get("scheme"), operator.schemes);
    if (scheme === undefined) return invalidRequest("scheme: a configured one.");
    const dates = parseDates(query, scheme, brokerNowMs(), datesDefault);
    if (!Array.isArray(dates)) return dates;
    const other = parseOther(query, scheme);
    if (typeof other === "string") return invalidRequest(other);
    const rows = compareDates(scheme, other, dates).map((one) => showChange(one, scheme, other));
    const held = await store.transactions.totals({ state: "HELD", scheme: scheme.id });
    const body = {
      schema: "CalendarDifference",
      scheme: scheme.id,
      zone: scheme.times.calendar.zone,
      from: dates[0] ?? "",
      to: dates.at(-1) ?? "",
      rows,
      held: held.flatMap((one) => showMove(one, scheme, other)),
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
