// `./sluice calendar diff OLD NEW`: which dates of which scheme change, and which held debits move.
//
// Held debits are counted in what is up, on every date, even outside the dates shown. Nothing is written.

import type { Configuration, Scheme } from "@sluice/config";
import { findScheme } from "@sluice/config/configuration-index";
import { compareSchemes, type DateChange, type DebitMove, findMove, type SchemeDifference } from "@sluice/calendar";
import { type CalendarDay, describeDay, formatDayContent, formatWeekday } from "./calendar-days.ts";
import type { HeldOnDate } from "./calendar-held.ts";
import { asCalendarVerb, type DateRange, datesShownMax, listDates, parseDateRange, reportCalendarMisuse } from "./calendar-terminal.ts";
import { jsonOption, type Verb } from "../../terminal/verb.ts";

interface ShownDate extends DateChange {
  readonly before: CalendarDay;
  readonly after: CalendarDay;
}

interface SchemeChange {
  readonly scheme: string;
  readonly inFiles: "both" | "old" | "new";
  readonly dates: readonly ShownDate[];
}

interface MovedDebits extends HeldOnDate {
  readonly change: DebitMove["change"];
  /** As `DebitMove` has it. */
  readonly goTo: string | null;
}

const daysComparedDefault = 366;

export const runCalendarDiff = reportCalendarMisuse("calendar diff", async (call, where) => {
  const [oldFile = "", newFile = ""] = call.positionals;
  const range = parseDateRange(call, where, daysComparedDefault);
  const { readConfigurationFile } = await import("@sluice/config");
  const before = readConfigurationFile(oldFile, where.environment);
  const after = readConfigurationFile(newFile, where.environment);
  const changes = compareSchemes(before.schemes, after.schemes, listDates(range)).map(describeChange);
  const counted = await where.heldDebits();
  const held = counted === null ? null : counted.flatMap((one) => moveHeld(one, before, after));
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

function describeChange({ scheme, before, after, dates }: SchemeDifference<Scheme>): SchemeChange {
  if (before === null || after === null) return { scheme, inFiles: before === null ? "new" : "old", dates: [] };
  const shown = dates.map((one) => ({ ...one, before: describeDay(before, one.date), after: describeDay(after, one.date) }));
  return { scheme, inFiles: "both", dates: shown };
}

function moveHeld(held: HeldOnDate, before: Configuration, after: Configuration): readonly MovedDebits[] {
  const [older = null, newer = null] = [before, after].map((side) => findScheme(side, held.scheme));
  const move = findMove(older, newer, held.businessDate);
  return move === null ? [] : [{ ...held, change: move.change, goTo: move.goesTo }];
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
