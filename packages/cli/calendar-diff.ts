// `./sluice calendar diff OLD NEW`: which dates of which scheme change, and which held debits move.
//
// 1. A date changes where its windows, its cut-off or its reconciliation close do, or where it begins or ceases to be a business date.
// 2. Held debits are those of what is up, on whatever date, also outside of the dates shown. Nothing is written.

import { readConfigurationFile, schemeOf } from "@sluice/config";
import type { Configuration, Scheme } from "@sluice/config";
import { planDay } from "@sluice/calendar";
import { contentText, shownDay, weekdayText } from "./calendar-days.ts";
import type { ShownDay } from "./calendar-days.ts";
import type { HeldOnDate } from "./calendar-held.ts";
import { asVerb, datesIn, rangeOf, sayingCalendar } from "./calendar-terminal.ts";
import type { DateRange } from "./calendar-terminal.ts";

interface ChangedDate {
  readonly date: string;
  readonly change: "added" | "removed" | "times";
  readonly before: ShownDay;
  readonly after: ShownDay;
}

interface SchemeChange {
  readonly scheme: string;
  readonly inFiles: "both" | "old" | "new";
  readonly dates: readonly ChangedDate[];
}

interface MovedDebits extends HeldOnDate {
  readonly change: "removed" | "times" | "scheme-removed";
  /** The date that debits of a removed one go to; null: there is none, or their date stays. */
  readonly goTo: string | null;
}

const daysComparedDefault = 366;

export const runCalendarDiff = sayingCalendar("calendar diff", async (call, where) => {
  const [oldFile = "", newFile = ""] = call.positionals;
  const range = rangeOf(call, where, daysComparedDefault);
  const before = readConfigurationFile(oldFile, where.environment);
  const after = readConfigurationFile(newFile, where.environment);
  const changes = changesOf(before, after, range);
  const counted = await where.heldDebits();
  const held = counted === null ? null : counted.flatMap((one) => movedOf(one, before, after));
  if (call.flag("json")) where.out(JSON.stringify({ old: oldFile, new: newFile, ...range, schemes: changes, held }, null, 2));
  else where.out([...changes.flatMap((change) => changeLines(change, range)), ...heldLines(held)].join("\n"));
  return 0;
});

export const calendarDiff = asVerb(runCalendarDiff);

function changesOf(before: Configuration, after: Configuration, range: DateRange): readonly SchemeChange[] {
  const ids = [...new Set([...before.schemes, ...after.schemes].map(({ id }) => id))];
  return ids.map((scheme) => {
    const [older, newer] = [schemeOf(before, scheme), schemeOf(after, scheme)];
    if (older === undefined || newer === undefined) return { scheme, inFiles: older === undefined ? "new" : "old", dates: [] };
    return { scheme, inFiles: "both", dates: datesIn(range).flatMap((date) => changeOf(older, newer, date)) };
  });
}

function changeOf(older: Scheme, newer: Scheme, date: string): readonly ChangedDate[] {
  const [before, after] = [shownDay(older, date), shownDay(newer, date)];
  const change = kindOf(before, after);
  return change === null ? [] : [{ date, change, before, after }];
}

function kindOf(before: ShownDay, after: ShownDay): ChangedDate["change"] | null {
  if (before.closed === null && after.closed !== null) return "removed";
  if (before.closed !== null && after.closed === null) return "added";
  return timesText(before) === timesText(after) ? null : "times";
}

/** As instants: a zone of another name with the same hours changes nothing. */
function timesText({ windows, cutOff, reconciliation }: ShownDay): string {
  return JSON.stringify([windows.map(({ number, opens, closes }) => [number, opens.utc, closes.utc]), cutOff?.utc, reconciliation?.utc]);
}

function movedOf(held: HeldOnDate, before: Configuration, after: Configuration): readonly MovedDebits[] {
  const { scheme, businessDate } = held;
  const [older, newer] = [schemeOf(before, scheme), schemeOf(after, scheme)];
  if (newer === undefined) return [{ ...held, change: "scheme-removed", goTo: null }];
  const shown = shownDay(newer, businessDate);
  if (shown.closed !== null) return [{ ...held, change: "removed", goTo: nextDateOf(newer, businessDate) }];
  if (older === undefined || kindOf(shownDay(older, businessDate), shown) === null) return [];
  return [{ ...held, change: "times", goTo: null }];
}

/** Null where the calendar has no business date after it. */
function nextDateOf({ id, times }: Scheme, date: string): string | null {
  return planDay(times, id, date).nextBusinessDate || null;
}

const changeWords = { added: "business date", removed: "no business date", times: "other times" } as const;

function changeLines({ scheme, inFiles, dates }: SchemeChange, { from, to }: DateRange): readonly string[] {
  if (inFiles !== "both") return [`${scheme}: only in the ${inFiles} file`];
  if (dates.length === 0) return [`${scheme}: nothing changes from ${from} to ${to}`];
  const takesDebits = dates.some(({ before, after }) => before.cutOff !== null || after.cutOff !== null);
  return [
    `${scheme}: ${dates.length} ${dates.length === 1 ? "date changes" : "dates change"} from ${from} to ${to}; local time (UTC)`,
    ...dates.flatMap(({ date, change, before, after }) => [
      `${weekdayText(date)}  ${changeWords[change]}`,
      `  - ${contentText(before, takesDebits)}`,
      `  + ${contentText(after, takesDebits)}`,
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
        `  ${one.scheme} ${weekdayText(one.businessDate)}  ${one.banks.map(({ bank, count }) => `${bank} ${count}`).join(", ")}; ${fateOf(one)}`,
    ),
  ];
}

function fateOf({ change, goTo }: MovedDebits): string {
  if (change === "times") return "their date stays, with other times";
  if (change === "scheme-removed") return "the new file has no such scheme";
  return goTo === null ? "there is no date for them: they stay, and the change is not taken for this date" : `they go to ${goTo}`;
}
