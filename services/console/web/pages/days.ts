// Business days: the calendar of what is planned and what was, and one day with its gates, its held debits and its
// items.

import { html } from "hono/html";
import { ApiRefusal, type AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { showDate, showDistance, showTime, type Clock } from "../parts/clock.ts";
import { closedGateMark, count, facts, link, mark, money, dataTable, stateMark, uetrLink, type Html, deciders } from "../parts/html.ts";
import { showFinish } from "../parts/day-outlook.ts";
import { explainItem } from "../parts/item.ts";
import type { PageContent } from "../parts/layout.ts";

type Day = AnswerOf<"listWindows">["rows"][number];
type Held = AnswerOf<"listHeld">;

const daysBack = 14;

export async function showDays({ api, me, clock }: Asked): Promise<PageContent> {
  const today = me.schemes[0]?.today ?? null;
  const from = today === null ? null : Temporal.PlainDate.from(today).subtract({ days: daysBack }).toString();
  const to = today === null ? null : Temporal.PlainDate.from(today).add({ days: 7 }).toString();
  const [{ rows }, held] = await Promise.all([
    api.read("listWindows", `/windows${queryText({ from, to })}`),
    api.read("listHeld", `/held${queryText({ limit: "1000" })}`),
  ]);
  const columns = [
    { title: "Day" },
    { title: "Windows" },
    { title: "Opens" },
    { title: "Closes" },
    { title: "Reconciliation" },
    { title: "Gates open", isNumber: true },
    { title: "Held", isNumber: true },
    { title: "Calendar" },
  ];
  const cells = rows.toReversed().map((day) => renderRow(day, held, today, clock));
  return {
    title: "Business days",
    section: "days",
    command: `./sluice window list${from === null || to === null ? "" : ` --from ${from} --to ${to}`}`,
    body: html`<p>${link("/calendar", "Calendar: holidays and windows of a month")}</p>
      ${dataTable("From a week ahead to two weeks back", columns, cells, "No business day is planned.")}`,
  };
}

/** The row names its date, so that its times need not. */
function renderRow(day: Day, held: Held, today: string | null, clock: Clock): readonly unknown[] {
  const { windows, reconciliation, gates } = day;
  const opens = windows[0]?.opens ?? null;
  const local = { ...clock, nowMs: opens === null ? clock.nowMs : Date.parse(opens) };
  const closed = reconciliation?.closedAt ?? null;
  return [
    html`${link(`/days/${day.day}`, `${day.scheme} ${showDate(day.businessDate)}`)}
    ${day.businessDate === today ? mark("good", "today") : ""}`,
    day.isVoided || opens === null ? mark("quiet", "no window") : windows.map((window) => html`${windowMark(window)} `),
    showTime(opens, local),
    showTime(windows.at(-1)?.closes ?? null, local),
    closed === null ? showTime(reconciliation?.closes ?? null, local) : mark("good", "reconciled"),
    `${gates.filter(({ isOpen }) => isOpen).length} of ${gates.length}`,
    heldText(day, held),
    day.calendarVersion,
  ];
}

/** "≥ 4" where there are more rows than one answer has. */
function heldText({ day }: Day, { rows, next }: Held): string {
  const sum = rows.filter((row) => row.day === day).reduce((total, row) => total + row.count, 0);
  return next === null ? count(sum) : `≥ ${count(sum)}`;
}

function windowMark({ number, state }: Day["windows"][number]): Html {
  const tone = state === "open" ? "good" : state === "missed" ? "bad" : state === "closed" ? "quiet" : "waits";
  return mark(tone, `${number} ${state}`);
}

export async function showDay({ api, params, query, clock }: Asked): Promise<PageContent> {
  const key = params["day"] ?? "";
  const [scheme = "", date = ""] = key.split(":");
  const isCounted = query.get("conservation") === "yes";
  const [{ rows }, held, { rows: summary }, whole, counts] = await Promise.all([
    api.read("listWindows", `/windows${queryText({ scheme, from: date, to: date })}`),
    api.read("listHeld", `/held${queryText({ day: key })}`),
    api.read("summariseReconciliation", `/reconciliation/summary${queryText({ day: key })}`),
    isCounted ? api.read("showConservation", `/conservation${queryText({ day: key })}`) : null,
    isCounted ? api.read("countTransactions", `/transactions/counts${queryText({ scheme, businessDate: date })}`) : null,
  ]);
  const [day] = rows;
  if (day === undefined) throw new ApiRefusal(404, "Not known", "This business day is not planned. Days are planned a week ahead.");
  const outlook = await api.read("showDayOutlook", `/days/${scheme}/${date}/outlook`);
  return {
    title: `${scheme} ${showDate(date)}`,
    section: "days",
    command: [`./sluice window list --scheme ${scheme} --from ${date} --to ${date}`, `./sluice window outlook ${key}`],
    runbook: "a-gate-stays-closed",
    isLive: !isCounted,
    body: html`${renderTimes(day, outlook, clock)} ${renderActions(day)} ${renderGates(day, held.rows)} ${renderSummary(key, summary)}
    ${renderConservation(key, whole)} ${renderCounts(date, scheme, counts)} ${renderHistory(day, clock)}`,
  };
}

function renderTimes(day: Day, outlook: AnswerOf<"showDayOutlook">, clock: Clock): Html {
  const windows = day.windows.map(
    (window) =>
      [
        `Window ${window.number}`,
        html`${windowMark(window)} ${showTime(window.openedAt ?? window.opens, clock)} to
          ${showTime(window.closedAt ?? window.closes, clock)}
          <span class="quiet">${window.state === "open" ? `closes ${showDistance(window.closes, clock)}` : ""}</span>`,
      ] as const,
  );
  return facts([
    ...windows,
    ["Cut-off", showTime(day.cutOff, clock)],
    [
      "Reconciliation",
      day.reconciliation === null
        ? "–"
        : html`${showTime(day.reconciliation.closedAt ?? day.reconciliation.closes, clock)}
          ${day.reconciliation.closedAt === null ? html`<span class="quiet">${showDistance(day.reconciliation.closes, clock)}</span>` : mark("good", "done")}`,
    ],
    ["Held debits", showFinish(outlook, clock)],
    ["Credits are declared by", `the ${day.creditsFinal}`],
    ["Next business date", day.nextBusinessDate],
    ["Calendar", day.calendarVersion],
  ]);
}

function renderActions({ scheme, businessDate: date, reconciliation }: Day): Html {
  const isOver = reconciliation === null || reconciliation.closedAt !== null;
  const why = reconciliation === null ? "this date has no window" : "the day is reconciled";
  const not = (text: string): Html => html`<li class="not"><span>${text}</span> <span class="quiet">not possible: ${why}</span></li>`;
  if (isOver)
    return html`<section class="actions" aria-label="What could be decided">
      <ul>
        ${not("Declare credits final")} ${not("Extend a close")}
      </ul>
    </section>`;
  return html`<section class="actions" aria-label="What could be decided">
    <ul>
      <li><a class="button" href="/decide/declareCreditsFinal${queryText({ scheme, date })}">Declare credits final…</a></li>
      <li><a class="button" href="/decide/extendClose${queryText({ scheme, date })}">Extend a close…</a></li>
    </ul>
  </section>`;
}

function renderGates({ gates, windows, scheme, businessDate: date }: Day, held: AnswerOf<"listHeld">["rows"]): Html {
  const columns = [
    { title: "Bank" },
    { title: "Gate" },
    { title: "Held", isNumber: true },
    { title: "Sum", isNumber: true },
    { title: "Why", isText: true },
    { title: "Credits in front of it" },
    { title: "Decide" },
  ];
  const rows = gates.map(({ bank, isOpen, reason, credits }) => {
    const own = held.filter((one) => one.bank === bank);
    const why = isOpen ? (own[0]?.why ?? "") : (reason ?? "");
    return [
      link(`/banks/${bank}`, bank),
      isOpen ? mark("good", "open") : closedGateMark(windows.some(({ state }) => state === "open")),
      count(own.reduce((sum, one) => sum + one.count, 0)),
      own.map(({ currency, sum }) => money(currency, sum)).join(" · "),
      why,
      credits.slice(0, 3).map((uetr) => html`${uetrLink(uetr)} `),
      credits.length === 0
        ? ""
        : link(`/decide/openGate${queryText({ scheme, date, bank })}`, html`Open the gate<span class="unseen"> of ${bank}</span>…`),
    ];
  });
  return dataTable("Gates and held debits", columns, rows, "This date has no window, and so no gate.");
}

function renderSummary(day: string, summary: AnswerOf<"summariseReconciliation">["rows"]): Html {
  const columns = [
    { title: "Bank" },
    { title: "Reason", isText: true },
    { title: "Items", isNumber: true },
    { title: "Sum", isNumber: true },
    { title: "Open", isNumber: true },
    { title: "Open sum", isNumber: true },
  ];
  const rows = summary.map(({ bank, currency, row, cause, count: number, sum, open, openSum }) => [
    bank ?? "–",
    explainItem({ row, cause }),
    link(`/reconciliation${queryText({ day, bank, all: "yes" })}`, count(number)),
    money(currency, sum),
    count(open),
    money(currency, openSum),
  ]);
  return dataTable("Reconciliation", columns, rows, "No item was made for this day.");
}

/** Counting a day can take long, so that it is done when somebody asks for it. */
function renderConservation(day: string, whole: AnswerOf<"showConservation"> | null): Html {
  if (whole === null)
    return html`<p>
      ${link(`/days/${day}?conservation=yes`, "Count the day: by state and bank, and whether everything that was accepted is accounted for")}
    </p>`;
  const columns = [{ title: "Bank" }, { title: "Column" }, { title: "Transactions", isNumber: true }, { title: "Sum", isNumber: true }];
  const rows = whole.rows.flatMap(({ bank, currency, columns: cells }) =>
    Object.entries(cells).map(([name, { count: number, sum }]) => [bank, name, count(number), money(currency, sum)]),
  );
  return html`<p>
      ${whole.isWhole ? mark("good", "Everything that was accepted is accounted for.") : mark("bad", "Something is not accounted for: see the runbook conservation-is-broken.")}
    </p>
    ${dataTable("Conservation", columns, rows, "Nothing was accepted.")}`;
}

function renderCounts(businessDate: string, scheme: string, counts: AnswerOf<"countTransactions"> | null): Html | string {
  if (counts === null) return "";
  const columns = [{ title: "Bank" }, { title: "State" }, { title: "Transactions", isNumber: true }, { title: "Sum", isNumber: true }];
  const rows = counts.rows
    .toSorted((a, b) => ((a.bank ?? "") < (b.bank ?? "") ? -1 : (a.bank ?? "") > (b.bank ?? "") ? 1 : 0))
    .map(({ bank, state, count: number, currency, sum }) => [
      bank ?? "–",
      stateMark(state),
      link(`/search${queryText({ scheme, businessDate, state, bank })}`, count(number)),
      money(currency, sum),
    ]);
  return dataTable("By bank and state", columns, rows, "Nothing was accepted for this day yet.");
}

function renderHistory({ declarations, putBacks, decisions }: Day, clock: Clock): Html {
  const rows = [
    ...declarations.map(({ at, declaredBy, bank }) => [showTime(at, clock), "credits declared final", declaredBy, bank ?? "all banks", ""]),
    ...putBacks.map((one) => [
      showTime(one.at, clock),
      html`close ${one.window} extended to ${showTime(one.closes, clock)}`,
      deciders(one),
      "",
      one.reason,
    ]),
    ...decisions.map((one) => [showTime(one.at, clock), `${one.kind}: ${one.result}`, deciders(one), one.bank ?? "", one.reason]),
  ];
  return dataTable(
    "What was decided and declared",
    [{ title: "When" }, { title: "What" }, { title: "By" }, { title: "For" }, { title: "Reason", isText: true }],
    rows,
    "Nothing yet.",
  );
}
