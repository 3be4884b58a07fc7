// The first page: what needs a person, where the day is, and what waits.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { queryText, type Asked, type Elsewhere } from "../asked.ts";
import { showCounted, showDate, showDistance, showSentence, showTime, type Clock } from "../parts/clock.ts";
import { listAlarmTroubles, renderAlarms } from "../parts/alarms.ts";
import { dayBar } from "../parts/day-bar.ts";
import { formatAmount, parseAmount } from "../../views/control-values.ts";
import { count, link, mark, money, plural, receiverMark, stateMark, dataTable, type Html } from "../parts/html.ts";
import { renderDayCharts } from "../parts/number-charts.ts";
import type { PageContent } from "../parts/layout.ts";

type Overview = AnswerOf<"showOverview">;
type Day = Overview["days"][number];

export async function showNow({ api, me, clock, hasHelp }: Asked): Promise<PageContent | Elsewhere> {
  if (me.bank !== null) return { location: `/own/${me.bank}` };
  const [overview, series, alarms] = await Promise.all([
    api.read("showOverview", "/overview"),
    me.ofSchemes === null ? api.read("showSeries", "/series") : null,
    me.ofSchemes === null ? api.read("listAlarms", "/alarms") : null,
  ]);
  const close = { at: findNextClose(overview), name: "close of the window" };
  const ofAlertmanager = alarms === null ? "" : renderAlarms(alarms, clock, hasHelp);
  const charts = series === null ? "" : renderDayCharts(series, close, clock);
  return {
    title: "Now",
    section: "now",
    command: me.ofSchemes === null ? ["./sluice status", "./sluice alarms"] : "./sluice held",
    isLive: true,
    body: html`${renderTroubles(overview, alarms, me, clock)} ${ofAlertmanager}
    ${overview.days.length === 0 ? html`<p class="empty">No business day is planned for today.</p>` : overview.days.map((day) => renderDay(day, me, clock))}
    ${renderTiles(overview, me)} ${charts} ${renderHeld(overview, me, clock)} ${renderReceivers(overview, me, clock)}
    ${renderStates(overview, clock)}${renderLeftOut(me)}`,
  };
}

/** An operator of some schemes has to know what the numbers leave out. */
function renderLeftOut({ ofSchemes }: Asked["me"]): Html | "" {
  if (ofSchemes === null) return "";
  return html`<p class="quiet" id="left-out">
    These are the numbers of ${ofSchemes.join(", ")}. Of what is not delivered only messages that a day awaits are counted: credits, outcome
    reports and events are of no day. Transactions of which nobody knows the scheme are left out. Alarms, charts and dead letters are about
    every scheme together; ask an operator of every scheme.
  </p>`;
}

/** The page of a bank is about every scheme, so that an operator of some is not sent there. */
function linkBank({ ofSchemes }: Asked["me"], bank: string): Html | string {
  return ofSchemes === null ? link(`/banks/${bank}`, bank) : bank;
}

/** What needs a person, with its page if this operator has it. */
function linkPage({ ofSchemes }: Asked["me"], path: string, text: Html | string): Html | string {
  return ofSchemes === null ? html`<a href="${path}">${text}</a>` : text;
}

/** Null: no close is ahead that what is held could miss. */
function findNextClose({ days }: Overview): string | null {
  const ahead = days.find(({ window }) => window?.state === "open" || window?.state === "planned");
  return ahead?.window?.closes ?? null;
}

/** What somebody should look at, the most urgent first. */
function renderTroubles(overview: Overview, alarms: AnswerOf<"listAlarms"> | null, me: Asked["me"], clock: Clock): Html {
  const { days, held, heldCountedAt, undelivered, openItems, quarantined, proposals, services, paused } = overview;
  const mine = countMine(overview, me);
  const others = overview.proposedItems.reduce((sum, one) => sum + one.count, 0) - mine;
  const behindGates = held.filter(({ waitsFor }) => waitsFor === "gate").reduce((sum, one) => sum + one.count, 0);
  const isPaused = new Set(paused.map(({ bank }) => bank));
  const sick = undelivered.receivers.filter(({ bank, state }) => state !== "active" && !isPaused.has(bank));
  const items = openItems.reduce((sum, one) => sum + one.count, 0);
  const missed = days.filter(({ window }) => window?.state === "missed");
  const troubles = [
    ...(alarms === null ? [] : listAlarmTroubles(alarms, clock)),
    ...missed.map(({ day }) => html`<a href="/days/${day}">${day}: a window was missed</a>`),
    ...services
      .filter(({ notOwned }) => notOwned > 0)
      .map(
        ({ service, notOwned }) =>
          html`<a href="${me.ofSchemes === null ? "/system" : "/services"}">${service}: nobody owns ${plural(notOwned, "partition")}</a>`,
      ),
    ...(behindGates > 0 ? [html`<a href="#held">${plural(behindGates, "debit")} behind a closed gate</a>`] : []),
    ...sick.map(({ bank, state, waiting }) => linkPage(me, `/banks/${bank}`, `${bank} is ${state}: ${plural(waiting, "message")} waiting`)),
    ...paused.map((one) => linkPage(me, `/banks/${one.bank}`, renderPause(one, overview, clock))),
    ...(undelivered.refused > 0
      ? [html`<a href="#receivers">${plural(undelivered.refused, "message")} refused: a person has to redrive or resolve</a>`]
      : []),
    ...(quarantined > 0 ? [linkPage(me, "/dead-letters", `${plural(quarantined, "transaction")} with dead letters`)] : []),
    ...(items > 0 ? [html`<a href="/reconciliation">${plural(items, "open item")}</a>`] : []),
    ...(mine > 0
      ? [html`<a href="/reconciliation?proposed=mine">${plural(mine, "item")} resolved by another person: yours to confirm</a>`]
      : []),
    ...(others > 0
      ? [html`<a href="/reconciliation?proposed=yes">${plural(others, "resolved item")} waiting for a second person</a>`]
      : []),
    ...(proposals > 0 ? [html`<a href="/proposals">${plural(proposals, "decision")} waiting for a second person</a>`] : []),
  ];
  if (troubles.length === 0 && heldCountedAt === null)
    return html`<p class="well">${mark("waits", "Held debits and open items are being counted for the first time. They appear here.")}</p>`;
  return troubles.length === 0
    ? html`<p class="well">${mark("good", "Nothing needs a person now.")}</p>`
    : html`<section class="troubles" aria-labelledby="troubles">
        <h2 id="troubles">Look at this</h2>
        <ul>
          ${troubles.map((one) => html`<li>${one}</li>`)}
        </ul>
      </section>`;
}

/** Nothing is sent to it, so it is shown also while nothing waits for it yet. */
function renderPause({ bank, until, operator }: Overview["paused"][number], { undelivered }: Overview, clock: Clock): Html {
  const waiting = undelivered.receivers.find((one) => one.bank === bank)?.waiting ?? 0;
  const end = until === null ? "until somebody resumes it" : html`until ${showTime(until, clock)}`;
  return html`${bank} is paused ${end}, by ${operator}: ${plural(waiting, "message")} waiting`;
}

/** Only who may approve, and is another person than the one who proposed, can confirm. */
function countMine({ proposedItems }: Overview, { person, roles }: Asked["me"]): number {
  const others = proposedItems.filter((one) => one.person !== person);
  return roles.includes("approve") ? others.reduce((sum, one) => sum + one.count, 0) : 0;
}

function renderDay(day: Day, me: Asked["me"], clock: Clock): Html {
  const [scheme = "", date = ""] = day.day.split(":");
  const local = { ...clock, zone: day.zone };
  return html`<section class="day" aria-label="${day.day}">
    <h2>${link(`/days/${day.day}`, html`${scheme} ${showDate(date)}`)}</h2>
    ${day.isVoided ? html`<p>This date has no window.</p>` : html`${renderWindow(day, local)} ${renderGates(day, me)}`}
  </section>`;
}

function renderWindow({ window, reconciliation, reconciledAt }: Day, clock: Clock): Html {
  if (window === null) return html`<p>No window is ahead.</p>`;
  const { state, number, opens, closes } = window;
  const tone = state === "open" ? "good" : state === "missed" ? "bad" : "quiet";
  const next =
    state === "planned"
      ? html`opens ${showTime(opens, clock)}, ${showDistance(opens, clock)}`
      : html`closes ${showTime(closes, clock)}, ${showDistance(closes, clock)}`;
  const close =
    reconciledAt === null
      ? html`reconciliation close ${showTime(reconciliation, clock)}, ${showDistance(reconciliation, clock)}`
      : html`reconciled ${showTime(reconciledAt, clock)}`;
  return html`<p class="line">${mark(tone, `Window ${number} ${state}`)} <span>${next}</span> <span>${close}</span></p>
    ${dayBar({ opens, closes, reconciliation, nowMs: clock.nowMs })}`;
}

/** Before the window a closed gate is what the day has planned. */
function renderGates({ gatesOpen, gatesClosed, day, window }: Day, me: Asked["me"]): Html {
  const all = gatesOpen + gatesClosed.length;
  const tone = gatesClosed.length === 0 ? "good" : window?.state === "open" ? "warns" : "quiet";
  return html`<p class="line">${mark(tone, `Gate open for ${gatesOpen} of ${plural(all, "bank")}`)}</p>
    ${
      gatesClosed.length === 0
        ? ""
        : html`<ul class="reasons">
            ${gatesClosed.map((gate) => renderGate(gate, day, me))}
          </ul>`
    }`;
}

/** Only a gate that waits for credits can be opened over them. */
function renderGate({ bank, reason, credits }: Day["gatesClosed"][number], day: string, me: Asked["me"]): Html {
  const [scheme = "", date = ""] = day.split(":");
  const open = link(`/decide/openGate${queryText({ scheme, date, bank })}`, html`Open the gate<span class="unseen"> of ${bank}</span>…`);
  return html`<li>${linkBank(me, bank)}: ${reason} ${credits > 0 ? open : ""}</li>`;
}

function renderTiles({ held, heldCountedAt, undelivered, openItems, quarantined, proposals }: Overview, { ofSchemes }: Asked["me"]): Html {
  const heldCount = held.reduce((sum, one) => sum + one.count, 0);
  const items = openItems.reduce((sum, one) => sum + one.count, 0);
  const isCounted = heldCountedAt !== null;
  const letters = ofSchemes === null ? "/dead-letters" : "#left-out";
  const tile = (href: string, name: string, number: number | null, more: string) =>
    html`<li>
      <a href="${href}"
        ><span class="figure">${number === null ? "–" : count(number)}</span><span class="what">${name}</span
        ><span class="more">${more}</span></a
      >
    </li>`;
  return html`<ul class="tiles">
    ${tile("#held", "held", isCounted ? heldCount : null, isCounted ? sumsText(held) : "being counted")}
    ${tile("#receivers", "not delivered", undelivered.waiting, undelivered.refused === 0 ? "none refused" : `${undelivered.refused} refused`)}
    ${tile("/reconciliation", "open items", isCounted ? items : null, sumsText(openItems))}
    ${tile(letters, "with dead letters", isCounted ? quarantined : null, "")} ${tile("/proposals", "proposals", proposals, "")}
  </ul>`;
}

/** The sum in each currency. */
function sumsText(rows: readonly { readonly currency: string | null; readonly sum: string | null }[]): string {
  const sums = new Map<string, bigint>();
  for (const { currency, sum } of rows) {
    const amount = sum === null ? null : parseAmount(sum);
    if (currency !== null && amount !== null) sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  }
  return [...sums].map(([currency, sum]) => money(currency, formatAmount(sum, currency))).join(", ");
}

function renderHeld({ held, heldCountedAt }: Overview, me: Asked["me"], clock: Clock): Html {
  const columns = [
    { title: "Bank" },
    { title: "Day" },
    { title: "Debits", isNumber: true },
    { title: "Sum", isNumber: true },
    { title: "Waits for", isText: true },
    { title: "Window closes" },
  ];
  const rows = held.map(({ bank, day, count: number, currency, sum, why, closes }) => [
    linkBank(me, bank),
    link(`/days/${day}`, day),
    link(`/search?state=HELD&bank=${bank}&businessDate=${day.slice(-10)}`, count(number)),
    money(currency, sum),
    why,
    html`${showTime(closes, clock)} <span class="quiet">${showDistance(closes, clock)}</span>`,
  ]);
  return html`<section id="held">
    ${dataTable("Held debits", columns, rows, heldCountedAt === null ? "They are being counted." : "No debit is held.")}
    ${showCounted(heldCountedAt, clock)}
  </section>`;
}

function renderReceivers({ undelivered }: Overview, me: Asked["me"], clock: Clock): Html {
  const columns = [
    { title: "Receiver" },
    { title: "State" },
    { title: "Waiting", isNumber: true },
    { title: "Refused", isNumber: true },
    { title: "Oldest" },
    { title: "Close" },
    { title: "Why", isText: true },
  ];
  const rows = undelivered.receivers.map(({ bank, state, waiting, refused, oldestSince, closes, why }) => [
    linkBank(me, bank),
    receiverMark(state),
    count(waiting),
    count(refused),
    showDistance(oldestSince, clock),
    html`${showTime(closes, clock)} <span class="quiet">${showDistance(closes, clock)}</span>`,
    why.map((one) => html`${showSentence(one, clock)} `),
  ]);
  return html`<section id="receivers">${dataTable("Not delivered", columns, rows, "Every message is acknowledged.")}</section>`;
}

function renderStates({ days, statesCountedAt }: Overview, clock: Clock): Html {
  if (statesCountedAt === null && days.length > 0)
    return html`<p class="empty">
      <strong>By state.</strong> The transactions of today are being counted for the first time. They appear here.
    </p>`;
  return html`${days.map(({ day, states }) => {
    const columns = [{ title: "State" }, { title: "Transactions", isNumber: true }, { title: "Sum", isNumber: true }];
    const rows = states.map(({ state, count: number, currency, sum }) => [
      stateMark(state),
      link(`/search?state=${state}&businessDate=${day.slice(-10)}`, count(number)),
      money(currency, sum),
    ]);
    return html`<section>
      ${dataTable(`${day} by state`, columns, rows, "Nothing was accepted for this day yet.")} ${showCounted(statesCountedAt, clock)}
    </section>`;
  })}`;
}
