// `./sluice calendar show`: each date of a scheme with its windows, or the reason why it has none; from today on also
// what is open now.

import { findScheme } from "@sluice/config/configuration-index";
import { defaultScheme } from "@sluice/domain/schemes";
import { formatDay, formatNow, describeDay, describeNow } from "./calendar-days.ts";
import {
  asCalendarVerb,
  loadCalendarConfiguration,
  listDates,
  datesShownMax,
  parseDateRange,
  reportCalendarMisuse,
} from "./calendar-terminal.ts";
import { misuse } from "../rules/rules-terminal.ts";
import { jsonOption, type Verb } from "../../terminal/verb.ts";

const daysShownDefault = 30;

export const runCalendarShow = reportCalendarMisuse("calendar show", async (call, where) => {
  const range = parseDateRange(call, where, daysShownDefault);
  const configuration = await loadCalendarConfiguration(call, where);
  const id = call.value("scheme") ?? defaultScheme;
  const scheme = findScheme(configuration, id);
  if (scheme === undefined) throw misuse(`the configuration has no scheme ${id}`);
  const { calendar } = scheme.times;
  const days = listDates(range).map((date) => describeDay(scheme, date));
  const isFromNow = call.value("from") === null && scheme.takesDebits;
  const now = isFromNow ? describeNow(scheme, Temporal.Instant.from(where.now()).epochMilliseconds) : null;
  if (call.flag("json")) {
    const about = { scheme: id, configuration: configuration.version, calendar: calendar.version, zone: calendar.zone };
    where.out(JSON.stringify({ schema: "CalendarDays", ...about, ...range, now, days }, null, 2));
    return 0;
  }
  where.out(
    [
      `${id}, calendar ${calendar.version}, ${calendar.zone}: local time (UTC)`,
      ...(now === null ? [] : [formatNow(now)]),
      ...days.map((day) => formatDay(day, scheme.takesDebits)),
    ].join("\n"),
  );
  return 0;
});

export const calendarShowVerb: Verb = {
  name: "calendar show",
  summary: "each date of a scheme with its windows in local time and UTC, or the reason it has none",
  arguments: [],
  options: {
    scheme: { type: "string", placeholder: "ID", text: `as in the configuration (${defaultScheme})` },
    from: { type: "string", placeholder: "DATE", text: "YYYY-MM-DD (today; then also what is open now and comes next)" },
    to: { type: "string", placeholder: "DATE", text: `included (${daysShownDefault} days later; at most ${datesShownMax} dates)` },
    config: {
      type: "string",
      placeholder: "FILE",
      text: "configuration (of what is up; else infra/local/sluice.yaml)",
      completes: "files",
    },
    json: jsonOption,
  },
  examples: ["calendar show", "calendar show --scheme ZA_EFT --from 2026-12-16 --to 2027-01-02"],
  run: asCalendarVerb(runCalendarShow),
};
