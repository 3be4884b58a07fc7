// `./sluice calendar show`: each date of a scheme with its windows, or the reason that it has none; from today also what is open now.

import { schemeOf } from "@sluice/config";
import { dayText, nowText, shownDay, shownNow } from "./calendar-days.ts";
import { asVerb, configurationOf, datesIn, rangeOf, sayingCalendar } from "./calendar-terminal.ts";
import { wrongUse } from "./rules-terminal.ts";

const daysShownDefault = 30;

export const runCalendarShow = sayingCalendar("calendar show", async (call, where) => {
  const range = rangeOf(call, where, daysShownDefault);
  const configuration = await configurationOf(call, where);
  const id = call.value("scheme") ?? "ZA_EFT";
  const scheme = schemeOf(configuration, id);
  if (scheme === undefined) throw wrongUse(`the configuration has no scheme ${id}`);
  const { calendar } = scheme.times;
  const days = datesIn(range).map((date) => shownDay(scheme, date));
  const isFromNow = call.value("from") === null && scheme.takesDebits;
  const now = isFromNow ? shownNow(scheme, Temporal.Instant.from(where.now()).epochMilliseconds) : null;
  if (call.flag("json")) {
    const about = { scheme: id, configuration: configuration.version, calendar: calendar.version, zone: calendar.zone };
    where.out(JSON.stringify({ ...about, ...range, now, days }, null, 2));
    return 0;
  }
  where.out(
    [
      `${id}, calendar ${calendar.version}, ${calendar.zone}: local time (UTC)`,
      ...(now === null ? [] : [nowText(now)]),
      ...days.map((day) => dayText(day, scheme.takesDebits)),
    ].join("\n"),
  );
  return 0;
});

export const calendarShow = asVerb(runCalendarShow);
