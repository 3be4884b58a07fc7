// What another calendar would change, as tables: the dates with what they have and would have, and the held debits.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { showTime, type Clock } from "./clock.ts";
import { count, dataTable, mark, money, type Html } from "./html.ts";

type FileDifference = AnswerOf<"compareCalendarFile">;
type ChangedDate = FileDifference["schemes"][number]["rows"][number];
type HeldDebits = Omit<FileDifference["held"][number], "scheme">;

export const closedTexts = {
  holiday: "holiday",
  weekday: "no working day",
  "not-valid": "no calendar is in force",
  "skipped-date": "the zone has no such date",
  "missing-hour": "its windows fall into a missing hour",
} as const;

const changeMarks = {
  added: { is: "good", text: "becomes a business date" },
  removed: { is: "warns", text: "no business date any more" },
  times: { is: "waits", text: "other times" },
} as const;

/** Times are local: each side has the zone of its calendar. */
interface SideZones {
  readonly before: string;
  readonly after: string;
}

const dateColumns = [{ title: "Date" }, { title: "Change" }, { title: "Now" }, { title: "Then" }];

export function renderChangedDates(caption: string, rows: readonly ChangedDate[], zones: SideZones): Html {
  const cells = rows.map(({ date, change, before, after }) => [
    date,
    mark(changeMarks[change].is, changeMarks[change].text),
    renderDay(before, zones.before),
    renderDay(after, zones.after),
  ]);
  return dataTable(caption, dateColumns, cells, "Nothing changes.");
}

function renderDay({ closed, name, windows, reconciliation }: ChangedDate["before"], zone: string): Html {
  const clock = { zone, nowMs: windows[0] === undefined ? null : Date.parse(windows[0].opens) };
  if (closed !== null) return html`${mark("quiet", closedTexts[closed])} ${name ?? ""}`;
  if (reconciliation === null) return html`business date, credits only`;
  return html`${windows.map((window) => renderWindow(window, clock))}, reconciliation ${showTime(reconciliation, clock)}`;
}

export function renderWindow({ opens, closes }: ChangedDate["before"]["windows"][number], clock: Clock): Html {
  return html`${showTime(opens, clock)} to ${showTime(closes, clock)} `;
}

const heldColumns = [
  { title: "Bank" },
  { title: "Date" },
  { title: "Debits", isNumber: true },
  { title: "Sum", isNumber: true },
  { title: "Then", isText: true },
];

export function renderMovedDebits(caption: string, held: readonly HeldDebits[]): Html {
  const moved = held.map(({ bank, businessDate, count: debits, currency, sum, change, goesTo }) => [
    bank ?? "–",
    businessDate,
    count(debits),
    money(currency, sum),
    renderMove(change, goesTo),
  ]);
  return dataTable(caption, heldColumns, moved, "None is held on a date that changes.");
}

function renderMove(change: HeldDebits["change"], goesTo: string | null): Html | string {
  if (change === "times") return "their date stays, with other times";
  if (change === "scheme-removed") return mark("bad", "the file does not have their scheme");
  return goesTo === null ? mark("bad", "there is no date for them") : `go to ${goesTo}`;
}
