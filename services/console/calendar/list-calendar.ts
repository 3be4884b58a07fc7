// listCalendar: the dates of a scheme by the configuration in force: windows, cut-off and reconciliation close, or why
// a date is no business date.
//
// #1 It says what would be planned. What was planned, and changed since, is in `listWindows`.
// #2 At most `datesMax` dates are answered.

import { calendarVersionOn, noBusinessReasonOn, planDay } from "@sluice/calendar";
import type { Configuration, Scheme } from "@sluice/config";
import { findScheme } from "@sluice/config/configuration-index";
import { isOfSchemes } from "@sluice/contracts";
import type { Store } from "@sluice/store";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import { isDate } from "../http/control-parameters.ts";
import { invalidRequest } from "../views/control-values.ts";

interface CalendarPorts {
  readonly store: Pick<Store, "days">;
  readonly configuration: Pick<Configuration, "schemes">;
  readonly brokerNowMs: () => number | null;
}

const datesMax = 400;
const datesDefault = 31;

export function listCalendar({ store, configuration, brokerNowMs }: CalendarPorts): ControlHandler {
  return async ({ query, operator }) => {
    const scheme = findAskedScheme(configuration, query.get("scheme"), operator.schemes);
    if (scheme === undefined) return invalidRequest("scheme: a configured one.");
    const dates = parseDates(query, scheme, brokerNowMs(), datesDefault);
    if (!Array.isArray(dates)) return dates;
    const planned = await store.days.load(dates.map((date) => `${scheme.id}:${date}`));
    const rows = dates.map((date) => ({ ...describeDate(scheme, date), isPlanned: planned.has(`${scheme.id}:${date}`) }));
    const { zone } = scheme.times.calendar;
    return { kind: "found", body: { schema: "Calendar", scheme: scheme.id, zone, takesDebits: scheme.takesDebits, rows } };
  };
}

/** The dates from `from` to `to`, or a refusal. Without `from`: from today. */
export function parseDates(query: URLSearchParams, scheme: Scheme, nowMs: number | null, count: number): string[] | ControlAnswer {
  for (const name of ["from", "to"]) if (!isDate(query.get(name) ?? "2026-01-01")) return invalidRequest(`${name}: a date, YYYY-MM-DD.`);
  const given = query.get("from");
  if (given === null && nowMs === null) return { kind: "unavailable", detail: "No time of the log is known yet. Give from, or ask again." };
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs ?? 0).toZonedDateTimeISO(scheme.times.calendar.zone);
  const from = given === null ? today.toPlainDate() : Temporal.PlainDate.from(given);
  const to = Temporal.PlainDate.from(query.get("to") ?? from.add({ days: count - 1 }));
  const dates = from.until(to).days + 1;
  if (dates < 1 || dates > datesMax) return invalidRequest(`to: from 1 to ${datesMax} dates.`);
  return Array.from({ length: dates }, (_, index) => from.add({ days: index }).toString());
}

/** Without a scheme: the first of the operator's that takes debits. */
export function findAskedScheme(
  configuration: CalendarPorts["configuration"],
  id: string | null,
  ofOperator: readonly string[] | null,
): Scheme | undefined {
  if (id !== null) return findScheme(configuration, id);
  const schemes = configuration.schemes.filter((scheme) => isOfSchemes(ofOperator, scheme.id));
  return schemes.find(({ takesDebits }) => takesDebits) ?? schemes[0];
}

/** #1 */
export function describeDate({ id, times, takesDebits }: Scheme, date: string) {
  const closed = noBusinessReasonOn(times, date);
  const bare = {
    date,
    version: calendarVersionOn(times.calendar, date)?.version ?? null,
    closed: closed?.kind ?? null,
    name: closed?.kind === "holiday" ? closed.name : null,
  };
  if (closed !== null || !takesDebits) return { ...bare, windows: [], cutOff: null, reconciliation: null };
  const { windows, cutOffAtMs, reconciliationAtMs } = planDay(times, id, date);
  return {
    ...bare,
    windows: windows.map(({ number, opensAtMs, closesAtMs }) => ({
      number,
      opens: formatInstant(opensAtMs),
      closes: formatInstant(closesAtMs),
    })),
    cutOff: formatInstant(cutOffAtMs),
    reconciliation: formatInstant(reconciliationAtMs),
  };
}
