// A month of a scheme: windows, cut-off and close of each date, or the holiday or weekday that closes it.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { showTime, type Clock } from "../parts/clock.ts";
import { dataTable, link, mark, type Html } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";

type Row = AnswerOf<"listCalendar">["rows"][number];

const columns = [
  { title: "Date" },
  { title: "Windows" },
  { title: "Cut-off" },
  { title: "Reconciliation" },
  { title: "Note", isText: true },
];

const closedTexts = {
  holiday: "holiday",
  weekday: "no working day",
  "not-valid": "no calendar is in force",
  "skipped-date": "the zone has no such date",
  "missing-hour": "its windows fall into a missing hour",
} as const;

export async function showCalendar({ api, me, query }: Asked): Promise<PageContent> {
  const [first] = me.schemes.filter(({ takesDebits }) => takesDebits);
  const scheme = query.get("scheme") ?? first?.id ?? null;
  const today = me.schemes.find(({ id }) => id === scheme)?.today ?? null;
  const month = findMonth(query.get("month"), today);
  const begin = month.toPlainDate({ day: 1 });
  const from = begin.toString();
  const to = begin.add({ months: 1 }).subtract({ days: 1 }).toString();
  const { rows, zone } = await api.read("listCalendar", `/calendar${queryText({ scheme, from, to })}`);
  const cells = rows.map((row) => renderDate(row, scheme ?? "", today, { zone, nowMs: null }));
  const at = (months: number): string => `/calendar${queryText({ scheme: query.get("scheme"), month: month.add({ months }).toString() })}`;
  return {
    title: `Calendar, ${month.toPlainDate({ day: 1 }).toLocaleString("en-GB", { month: "long", year: "numeric" })}`,
    section: "days",
    command: `./sluice calendar show --from ${from} --to ${to}`,
    runbook: "the-calendar-is-wrong",
    body: html`<p class="line">
        ${link(at(-1), "Month before")} ${link(at(1), "Month after")}
        ${me.schemes.map(({ id }) => link(`/calendar${queryText({ scheme: id, month: month.toString() })}`, id))}
      </p>
      ${dataTable(`${scheme ?? ""}, ${zone}`, columns, cells, "The calendar has no date here.")}
      <p class="quiet">By the configuration in force. A date that is planned has a page with what was changed since.</p>`,
  };
}

/** This month, where none is given or it is none. */
function findMonth(given: string | null, today: string | null): Temporal.PlainYearMonth {
  const now = Temporal.PlainDate.from(today ?? "2026-01-01").toPlainYearMonth();
  if (given === null || !/^\d{4}-\d\d$/.test(given)) return now;
  try {
    return Temporal.PlainYearMonth.from(given);
  } catch {
    return now;
  }
}

/** The row names its date, so that a time of that date need not. */
function renderDate(row: Row, scheme: string, today: string | null, { zone }: Clock): readonly unknown[] {
  const { date, closed, name, windows, cutOff, reconciliation, isPlanned } = row;
  const opens = windows[0]?.opens ?? null;
  const clock = { zone, nowMs: opens === null ? null : Date.parse(opens) };
  const text = Temporal.PlainDate.from(date).toLocaleString("en-GB", { weekday: "short", day: "numeric", month: "short" });
  return [
    html`${isPlanned ? link(`/days/${scheme}:${date}`, text) : text} ${date === today ? mark("good", "today") : ""}`,
    closed === null ? windows.map((window) => renderWindow(window, clock)) : mark("quiet", closedTexts[closed]),
    showTime(cutOff, clock),
    showTime(reconciliation, clock),
    name ?? "",
  ];
}

function renderWindow({ opens, closes }: Row["windows"][number], clock: Clock): Html {
  return html`${showTime(opens, clock)} to ${showTime(closes, clock)} `;
}
