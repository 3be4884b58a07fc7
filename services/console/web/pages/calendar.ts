// A month of a scheme: windows, cut-off and close of each date, or the holiday or weekday that closes it.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { showTime, type Clock } from "../parts/clock.ts";
import { closedTexts, renderChangedDates, renderMovedDebits, renderWindow } from "../parts/calendar-difference.ts";
import { compareBroughtFile, renderFileDifference, renderFileForm } from "../parts/calendar-file.ts";
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

export async function showCalendar(asked: Asked): Promise<PageContent> {
  const { api, me, query } = asked;
  const [first] = me.schemes.filter(({ takesDebits }) => takesDebits);
  const scheme = query.get("scheme") ?? first?.id ?? null;
  const today = me.schemes.find(({ id }) => id === scheme)?.today ?? null;
  const month = findMonth(query.get("month"), today);
  const begin = month.toPlainDate({ day: 1 });
  const from = begin.toString();
  const to = begin.add({ months: 1 }).subtract({ days: 1 }).toString();
  const { rows, zone } = await api.read("listCalendar", `/calendar${queryText({ scheme, from, to })}`);
  const cells = rows.map((row) => renderDate(row, scheme ?? "", today, { zone, nowMs: null }));
  const difference = await readDifference(api, query, scheme);
  const brought = await compareBroughtFile(asked);
  const at = (months: number): string => `/calendar${queryText({ scheme: query.get("scheme"), month: month.add({ months }).toString() })}`;
  return {
    title: `Calendar, ${month.toPlainDate({ day: 1 }).toLocaleString("en-GB", { month: "long", year: "numeric" })}`,
    section: "calendar",
    command: [`./sluice calendar show --from ${from} --to ${to}`, "./sluice calendar diff OLD NEW"],
    runbook: "the-calendar-is-wrong",
    body: html`<p class="line">
        ${link(at(-1), "Month before")} ${link(at(1), "Month after")}
        ${me.schemes.map(({ id }) => link(`/calendar${queryText({ scheme: id, month: month.toString() })}`, id))}
      </p>
      ${dataTable(`${scheme ?? ""}, ${zone}`, columns, cells, "The calendar has no date here.")}
      ${renderAsked(query, scheme, month.toString())} ${difference === null ? "" : renderDifference(difference)}
      ${renderFileForm({ scheme, month: month.toString() }, asked.formToken, brought)}
      ${brought === null ? "" : renderFileDifference(brought)}
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

type Difference = AnswerOf<"compareCalendar">;

async function readDifference(api: Asked["api"], query: URLSearchParams, scheme: string | null): Promise<Difference | null> {
  const [closed, windows] = ["closed", "windows"].map((name) => query.get(name)?.replaceAll(" ", "") ?? "");
  if (closed === "" && windows === "") return null;
  return await api.read("compareCalendar", `/calendar/difference${queryText({ scheme, closed, windows })}`);
}

/** A holiday that is declared, or other hours: what would they change? */
function renderAsked(query: URLSearchParams, scheme: string | null, month: string): Html {
  const field = (name: string, title: string, placeholder: string) =>
    html`<p>
      <label for="${name}">${title}</label
      ><input id="${name}" name="${name}" value="${query.get(name) ?? ""}" placeholder="${placeholder}" maxlength="200" />
    </p>`;
  return html`<section aria-labelledby="what-if">
    <h2 id="what-if">What would change?</h2>
    <form class="terms">
      <input type="hidden" name="scheme" value="${scheme ?? ""}" /><input type="hidden" name="month" value="${month}" />
      ${field("closed", "Holidays besides", "2026-12-24,2026-12-31")} ${field("windows", "Windows of every date", "08:00-12:00")}
      <p class="wide"><button class="main">Compare</button> Nothing is written: the configuration file says what counts.</p>
    </form>
  </section>`;
}

function renderDifference({ rows, held, zone, from, to }: Difference): Html {
  return html`${renderChangedDates(`Dates that change from ${from} to ${to}`, rows, { before: zone, after: zone })}
  ${renderMovedDebits("Held debits on these dates", held)}`;
}
