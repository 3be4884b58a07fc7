// `./sluice calendar diff OLD NEW`: which dates of which scheme change, and which held debits move.
//
// #1 A date changes if its windows, its cut-off or its reconciliation close change, or if it starts or stops being a
//    business date.
// #2 Held debits are counted in what is up, on every date, even outside the dates shown. Nothing is written.

import type { Configuration, Scheme } from "@sluice/config";
import { findScheme } from "@sluice/config/configuration-index";
import { planDay } from "@sluice/calendar";
import { type CalendarDay, describeDay, formatDayContent, formatWeekday } from "./calendar-days.ts";
import type { HeldOnDate } from "./calendar-held.ts";
import { asCalendarVerb, type DateRange, datesShownMax, listDates, parseDateRange, reportCalendarMisuse } from "./calendar-terminal.ts";
import { jsonOption, type Verb } from "../../terminal/verb.ts";

interface ChangedDate {
  readonly date: string;
  readonly change: "added" | "removed" | "times";
  readonly before: CalendarDay;
  readonly after: CalendarDay;
}

interface SchemeChange {
  readonly scheme: string;
  readonly inFiles: "both" | "old" | "new";
  readonly dates: readonly ChangedDate[];
}

interface MovedDebits extends HeldOnDate {
  readonly change: "removed" | "times" | "scheme-removed";
  /** The date to which debits of a removed date move; null: there is none, or their date stays. */
  readonly goTo: string | null;
}

const daysComparedDefault = 366;

export const runCalendarDiff = reportCalendarMisuse("calendar diff", async (call, where) => {
  const [oldFile = "", newFile = ""] = call.positionals;
  const range = parseDateRange(call, where, daysComparedDefault);
  const { readConfigurationFile } = await import("@sluice/config");
  const before = readConfigurationFile(oldFile, where.environment);
  const after = readConfigurationFile(newFile, where.environment);
  const changes = compareSchemes(before, after, range);
  const counted = await where.heldDebits();
  const held = counted === null ? null : counted.flatMap((one) => findMove(one, before, after));
  if (call.flag("json"))
    where.out(JSON.stringify({ schema: "CalendarDifference", old: oldFile, new: newFile, ...range, schemes: changes, held }, null, 2));
  else where.out([...changes.flatMap((change) => changeLines(change, range)), ...heldLines(held)].join("\n"));
  return 0;
});

export const calendarDiffVerb: Verb = {
  name: "calendar diff",
  summary: "what another configuration file would change, by scheme and date, and which held debits move",
  arguments: [
    { placeholder: "OLD", text: "the present configuration file; nothing is written", completes: "files" },
    { placeholder: "NEW", text: "the other configuration file", completes: "files" },
  ],
  options: {
    from: { type: "string", placeholder: "DATE", text: "YYYY-MM-DD (today)" },
    to: { type: "string", placeholder: "DATE", text: `included (${daysComparedDefault} days later; at most ${datesShownMax} dates)` },
    json: jsonOption,
  },
  notes: ["Held debits are counted in what is up, on every date; if nothing is up the verb says so."],
  examples: ["calendar diff infra/local/sluice.yaml new.yaml"],
  run: asCalendarVerb(runCalendarDiff),
};

function compareSchemes(before: Configuration, after: Configuration, range: DateRange): readonly SchemeChange[] {
  const ids = [...new Set([...before.schemes, ...after.schemes].map(({ id }) => id))];
  return ids.map((scheme) => {
    const [older, newer] = [findScheme(before, scheme), findScheme(after, scheme)];
    if (older === undefined || newer === undefined) return { scheme, inFiles: older === undefined ? "new" : "old", dates: [] };
    return { scheme, inFiles: "both", dates: listDates(range).flatMap((date) => compareDate(older, newer, date)) };
  });
}

function compareDate(older: Scheme, newer: Scheme, date: string): readonly ChangedDate[] {
  const [before, after] = [describeDay(older, date), describeDay(newer, date)];
  const change = classifyChange(before, after);
  return change === null ? [] : [{ date, change, before, after }];
}

function classifyChange(before: CalendarDay, after: CalendarDay): ChangedDate["change"] | null {
  if (before.closed === null && after.closed !== null) return "removed";
  if (before.closed !== null && after.closed === null) return "added";
  return timesText(before) === timesText(after) ? null : "times";
}

/** Compares instants: a zone with another name and the same hours changes nothing. */
function timesText({ windows, cutOff, reconciliation }: CalendarDay): string {
  return JSON.stringify([windows.map(({ number, opens, closes }) => [number, opens.utc, closes.utc]), cutOff?.utc, reconciliation?.utc]);
}

function findMove(held: HeldOnDate, before: Configuration, after: Configuration): readonly MovedDebits[] {
  const { scheme, businessDate } = held;
  const [older, newer] = [findScheme(before, scheme), findScheme(after, scheme)];
  if (newer === undefined) return [{ ...held, change: "scheme-removed", goTo: null }];
  const shown = describeDay(newer, businessDate);
  if (shown.closed !== null) return [{ ...held, change: "removed", goTo: findNextDate(newer, businessDate) }];
  if (older === undefined || classifyChange(describeDay(older, businessDate), shown) === null) return [];
  return [{ ...held, change: "times", goTo: null }];
}

/** Null if the calendar has no later business date. */
function findNextDate({ id, times }: Scheme, date: string): string | null {
  return planDay(times, id, date).nextBusinessDate;
}

const changeWords = { added: "business date", removed: "no business date", times: "other times" } as const;

function changeLines({ scheme, inFiles, dates }: SchemeChange, { from, to }: DateRange): readonly string[] {
  if (inFiles !== "both") return [`${scheme}: only in the ${inFiles} file`];
  if (dates.length === 0) return [`${scheme}: nothing changes from ${from} to ${to}`];
  const takesDebits = dates.some(({ before, after }) => before.cutOff !== null || after.cutOff !== null);
  return [
    `${scheme}: ${dates.length} ${dates.length === 1 ? "date changes" : "dates change"} from ${from} to ${to}; local time (UTC)`,
    ...dates.flatMap(({ date, change, before, after }) => [
      `${formatWeekday(date)}  ${changeWords[change]}`,
      `  - ${formatDayContent(before, takesDebits)}`,
      `  + ${formatDayContent(after, takesDebits)}`,
    ]),
  ];
}

function heldLines(held: readonly MovedDebits[] | null): readonly string[] {
  if (held === null) return ["held debits: nothing is up, so none were counted"];
  if (held.length === 0) return ["held debits: none is on a date that changes"];
  return [
    "held debits on dates that change:",
    ...held.map(
      (one) =>
        `  ${one.scheme} ${formatWeekday(one.businessDate)}  ${one.banks.map(({ bank, count }) => `${bank} ${count}`).join(", ")}; ${describeMove(one)}`,
    ),
  ];
}

function describeMove({ change, goTo }: MovedDebits): string {
  if (change === "times") return "their date stays, with other times";
  if (change === "scheme-removed") return "the new file has no such scheme";
  return goTo === null ? "there is no date for them: they stay, and the change is not taken for this date" : `they go to ${goTo}`;
}
